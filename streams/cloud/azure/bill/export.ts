/**
 * Azure cost exports in a container: `<directory>/<export>/<first day>-<last day>/…`. Each run has a folder with a
 * manifest that lists its files; older exports have one file per run and no manifest. The newest run of a month is its
 * bill.
 */
import { parseJson } from '#engine/value/json.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { listOf, memberOf, textAt } from '#streams/cloud/kubernetes/api/json-access.ts'
import { blobsIn, blobText, type Blob } from './blob.ts'
import { placeIn } from './location.ts'
import type { AzureSession } from '#streams/cloud/azure/session/session.ts'

export interface AzureBillExport {
  /** The files of the newest run for a month (YYYY-MM); empty if nothing was exported for it yet. */
  filesOf: (month: string) => Promise<Blob[]>
}

interface Run extends Blob {
  /** The export's folder. */
  root: string
  month: string
}

const shape = /^(?<root>(?:.*\/)?)(?<year>\d{4})(?<month>\d{2})01-\d{8}\/(?:.*\/)?(?<file>[^/]+)$/

/** @throws `billing_export_invalid`, `bill_not_there`, and faults of the storage */
export async function exportOf(session: AzureSession, location: string): Promise<AzureBillExport> {
  const { account, root: host, container, prefix } = placeIn(location, session.hosts)
  const all = new Map<string, Blob>()
  const runs: Run[] = []
  for await (const blob of blobsIn(session, { account, container }, prefix === '' ? '' : `${prefix}/`)) {
    const { root, year, month } = shape.exec(blob.name)?.groups ?? {}
    if (root === undefined) continue
    all.set(blob.name, blob)
    runs.push({ ...blob, root, month: `${year}-${month}` })
  }
  const roots = [...new Set(runs.map(({ root }) => root))].toSorted()
  if (roots.length === 0)
    throw wrong(
      'bill_not_there',
      `No export run found under ${location}.`,
      'Check the container and the directory. Azure writes a new export within a day.',
    )
  if (roots.length > 1)
    throw wrong(
      'billing_export_invalid',
      `Several exports found under ${location}: ${roots.slice(0, 10).join(', ')}.`,
      `Use the folder of one of them: https://${account}.${host}/${container}/${roots[0]!.replace(/\/$/, '')}`,
    )
  return {
    filesOf: (month) =>
      filesOf(
        session,
        runs.filter((run) => run.month === month),
        all,
      ),
  }
}

const wrong = (code: string, message: string, fixHint: string) => cloudFault('user_action', code, message, { fixHint })

const newest = (runs: readonly Run[]): Run | undefined =>
  runs.toSorted((one, other) => other.at.getTime() - one.at.getTime() || (one.name < other.name ? -1 : 1))[0]

const isManifest = ({ name }: Blob): boolean => /(^|\/)_?manifest\.json$/i.test(name)
const isFile = (name: string): boolean => /\.(csv|gz|zip|parquet)$/i.test(name)

async function filesOf(session: AzureSession, runs: readonly Run[], all: ReadonlyMap<string, Blob>): Promise<Blob[]> {
  const manifest = newest(runs.filter(isManifest))
  if (!manifest) {
    const alone = newest(runs.filter(({ name }) => isFile(name)))
    return alone ? [alone] : []
  }
  const names = listOf(memberOf(manifestOf(manifest, await blobText(session, manifest)), 'blobs')).flatMap(
    (one) => textAt(one, 'blobName') ?? [],
  )
  const keys = [...new Set(names.map((name) => name.replace(/^\/+/, '')))]
  // Files that a manifest lists outside its own folder are not read; they count as missing.
  const missing = keys.filter((key) => !all.has(key))
  if (missing.length > 0)
    throw cloudFault('transient', 'bill_replaced', `${missing.join(', ')} listed in ${manifest.name} is missing.`)
  return keys.map((key) => ({ ...all.get(key)!, at: manifest.at }))
}

function manifestOf({ name }: Blob, text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''))
  } catch (error) {
    throw cloudFault('system', 'unknown_answer', `${name} is not a manifest: it is not valid JSON.`, {}, error)
  }
}
