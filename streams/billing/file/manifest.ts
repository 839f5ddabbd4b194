/**
 * Manifests of bill exports. AWS (Cost and Usage Reports, Data Exports) and Azure write one when all files of a run
 * exist. The newest manifest of an export and billing period lists the files of its bill.
 */
import { Fault } from '#engine/value/fault.ts'
import { parseJson } from '#engine/value/json.ts'
import { isBillName } from './member.ts'

/** A file in a folder, or under a prefix of a bucket. */
export interface ListedFile {
  /** Relative to the folder, or the complete key; with slashes. */
  path: string
  at: Date
}

export interface Manifest extends ListedFile {
  /** Key that all manifests of the same export and billing period share: owner, name and period. */
  of: string
  /** Name of the export. */
  name: string
  /** Billing period, YYYY-MM; missing if unknown. */
  month?: string
  /** Azure only: the scope and type of the costs. */
  costs?: { scope: string; type: string }
  /** The keys of its files, as in the manifest. */
  parts: readonly string[]
}

export const isManifestName = (path: string): boolean => /(?:^|[/_-])manifest\.json$/i.test(path)

const bytesMax = 16 * 1024 * 1024

/** @throws Fault `invalid` `manifest_invalid` */
export async function manifestText(path: string, input: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let size = 0
  for await (const part of input) {
    if ((size += part.length) > bytesMax)
      throw Fault.invalid('manifest_invalid', `${path} is too large for a manifest (maximum 16 MiB).`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/**
 * Undefined for a document that lists no bill files, for example of a price sheet.
 * @throws Fault `invalid` `manifest_invalid`
 */
export function manifestOf({ path, at }: ListedFile, text: string): Manifest | undefined {
  const document = documentOf(path, text)
  const parts = partsOf(document)
  if (!parts || isOfOther(document)) return undefined
  const written = textAt(document, 'runInfo', 'submittedTime')
  const time = written === undefined ? Number.NaN : Date.parse(written)
  const name = nameOf(document, path)
  const month = monthOf(document, path)
  const whose = textAt(document, 'exportConfig', 'resourceId') ?? textAt(document, 'account') ?? ''
  const of = `${whose} ${name} ${month ?? folderOf(path)}`
  const costs = costsOf(document)
  const newest = Number.isNaN(time) ? at : new Date(time)
  return { path, at: newest, of, name, ...(month && { month }), ...(costs && { costs }), parts }
}

/** Azure exports prices and reservations too. */
const isOfOther = (document: unknown): boolean => {
  const type = textAt(document, 'exportConfig', 'type')
  return type !== undefined && !/cost$|^usage$/i.test(type)
}

function costsOf(document: unknown): Manifest['costs'] {
  const type = textAt(document, 'exportConfig', 'type')
  if (type === undefined) return undefined
  const id = textAt(document, 'exportConfig', 'resourceId') ?? ''
  const scope = id.replace(/\/providers\/Microsoft\.CostManagement\/.*$/i, '').toLowerCase()
  return { scope, type: /^usage$/i.test(type) ? 'ActualCost' : type }
}

function documentOf(path: string, text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''))
  } catch {
    throw Fault.invalid('manifest_invalid', `${path} is not a manifest: it is not valid JSON.`)
  }
}

function memberOf(value: unknown, ...names: string[]): unknown {
  let found = value
  for (const name of names) found = (found as Record<string, unknown> | null | undefined)?.[name]
  return found
}

function textAt(value: unknown, ...names: string[]): string | undefined {
  const found = memberOf(value, ...names)
  return typeof found === 'string' && found !== '' ? found : undefined
}

function partsOf(document: unknown): string[] | undefined {
  const [list] = ['reportKeys', 'dataFiles', 'blobs'].map((name) => memberOf(document, name)).filter(Array.isArray)
  const names = list?.map((one: unknown) => (typeof one === 'string' ? one : textAt(one, 'blobName')))
  if (!names) return undefined
  return [...new Set(names.filter((name) => name !== undefined))].map((name) =>
    name.replace(/^[a-z0-9]+:\/\/[^/]+\//i, '').replace(/^\/+/, ''),
  )
}

/** Each run in Azure has a folder below that of its export, so the folder does not name the export. */
const nameOf = (document: unknown, path: string): string =>
  textAt(document, 'reportName') ??
  textAt(document, 'exportConfig', 'exportName') ??
  textAt(document, 'exportConfig', 'resourceId') ??
  path.replace(/^.*\//, '').replace(/[-_]?manifest\.json$/i, '')

/** The month of the first day; if the manifest has none, from the folder's name. */
function monthOf(document: unknown, path: string): string | undefined {
  const start = textAt(document, 'billingPeriod', 'start') ?? textAt(document, 'runInfo', 'startDate')
  const [, year, month] = /^(\d{4})-?(\d{2})/.exec(start ?? '') ?? []
  return year === undefined ? monthInPath(path) : `${year}-${month}`
}

/** The billing period (YYYY-MM) in a path, in the clouds' naming schemes; undefined if there is none. */
export function monthInPath(path: string): string | undefined {
  const [, year, month] =
    /BILLING_PERIOD=(\d{4})-(\d{2})/i.exec(path) ?? /(?:^|\/)(\d{4})(\d{2})01-\d{8}\//.exec(path) ?? []
  return year === undefined ? undefined : `${year}-${month}`
}

export interface FileSelection<L> {
  /** Sorted by path. */
  files: L[]
  /** Ignored files: from older runs, or not listed in any manifest. */
  left: L[]
}

/**
 * Chooses the files that are bills: those listed by the newest manifests, or without manifests all that may be bills.
 * @throws Fault `invalid` `export_incomplete`, naming the listed files that do not exist; `export_ambiguous` if the
 * same costs are exported in several forms
 */
export function chosenFiles<L extends ListedFile>(all: readonly L[], manifests: readonly Manifest[]): FileSelection<L> {
  const others = all.filter(({ path }) => isBillName(path) && !isManifestName(path))
  if (manifests.length === 0) return { files: others.toSorted(byPath), left: [] }
  const byName = Map.groupBy(others, ({ path }) => baseOf(path))
  const newest = [...Map.groupBy(manifests, ({ of }) => of).values()].map((group) => group.toSorted(newestFirst)[0]!)
  mustBeOfOneForm(newest)
  const files = new Set<L>()
  for (const manifest of newest) {
    const parts = manifest.parts.map((part) => ({ part, file: partIn(byName.get(baseOf(part)) ?? [], part, manifest) }))
    const missing = parts.filter(({ file }) => !file).map(({ part }) => part)
    if (missing.length > 0) throw incomplete(manifest.path, missing)
    for (const { file } of parts) files.add(file!)
  }
  return { files: [...files].toSorted(byPath), left: others.filter((one) => !files.has(one)) }
}

/** Actual, amortized and FOCUS exports of one month contain the same costs. */
function mustBeOfOneForm(manifests: readonly Manifest[]): void {
  const known = new Map<string, Manifest>()
  for (const manifest of manifests) {
    const { costs, month = '', path } = manifest
    if (!costs) continue
    const key = `${costs.scope} ${month}`
    const other = known.get(key) ?? manifest
    known.set(key, other)
    if (other.costs!.type === costs.type) continue
    throw Fault.invalid(
      'export_ambiguous',
      `${other.path} (${other.costs!.type}) and ${path} (${costs.type}) export the same costs of ${month}, which would count twice. Use one of the exports.`,
    )
  }
}

const byPath = (a: ListedFile, b: ListedFile): number => (a.path < b.path ? -1 : 1)
const baseOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)
const folderOf = (path: string): string => path.slice(0, path.lastIndexOf('/') + 1)

/** With equal times, prefers the shorter path: AWS repeats the manifest in a folder for each version. */
const newestFirst = (a: Manifest, b: Manifest): number =>
  b.at.getTime() - a.at.getTime() || a.path.length - b.path.length

/** Listed paths may begin above or below the given folder; the file with the longest matching path is chosen. */
function partIn<L extends ListedFile>(candidates: readonly L[], part: string, manifest: Manifest): L | undefined {
  const agrees = ({ path }: L) => `/${part}`.endsWith(`/${path}`) || `/${path}`.endsWith(`/${part}`)
  const [longest] = candidates.filter(agrees).toSorted((a, b) => b.path.length - a.path.length)
  return longest ?? candidates.find(({ path }) => folderOf(path) === folderOf(manifest.path))
}

const namedMax = 10

function incomplete(path: string, missing: readonly string[]): Fault {
  const named = missing.slice(0, namedMax).join(', ')
  const more = missing.length > namedMax ? ` and ${missing.length - namedMax} more` : ''
  const what = missing.length === 1 ? 'a missing file' : `${missing.length} missing files`
  return Fault.invalid('export_incomplete', `${path} lists ${what}: ${named}${more}.`)
}
