/**
 * Bills of Google Cloud in Cloud Storage: files exported from BigQuery, or by other tools. Google writes no manifests.
 * If there are manifests like those of AWS and Azure, the newest of a billing period lists its files. Otherwise all
 * files below the prefix are the bill: files in the folder of a billing period belong to it, others may contain lines
 * of several.
 */
import { monthOf, monthsBetween } from '#engine/value/day.ts'
import { Fault } from '#engine/value/fault.ts'
import type { BillingLine } from '#streams/billing/messages.ts'
import {
  chosenFiles,
  isManifestName,
  manifestOf,
  manifestText,
  monthInPath,
  type ListedFile,
  type Manifest,
} from '#streams/billing/file/manifest.ts'
import { isBillName, skippedEntry } from '#streams/billing/file/member.ts'
import { unreadable } from '#streams/cloud/bill/fault.ts'
import { partLines, type BillPart } from '#streams/cloud/bill/parts.ts'
import type { BillRefusals } from '#streams/cloud/bill/refusals.ts'
import { cloudFault, type CloudAccount } from '#streams/cloud/connector.ts'
import type { StoredObject } from '#streams/cloud/bill/stored-object.ts'
import { withUid } from '#streams/cloud/gcp/bill/resource.ts'
import { objectsInGcs } from '#streams/cloud/gcp/bill/prefix.ts'
import type { GcpOptions } from '#streams/cloud/gcp/session/token.ts'

type StoredFile = ListedFile & Pick<StoredObject, 'open'>

/** The requested days (inclusive), and where unreadable rows are reported. */
interface BillRequest {
  from: string
  to: string
  refusals: BillRefusals
}

const fixHint = 'Check that it is an export of Google Cloud billing data or FOCUS: CSV, JSON or Parquet.'

/** @throws `bill_not_there`, `billing_export_invalid`, `bill_replaced`, `bill_unreadable`, and faults of Google */
export async function* storedBill(
  options: GcpOptions,
  account: CloudAccount,
  location: string,
  asked: BillRequest,
): AsyncGenerator<BillingLine[]> {
  const objects = await objectsInGcs(options, account, location)
  const all = objects.map(({ key, at, open }): StoredFile => ({ path: key, at, open }))
  const manifests = await manifestsIn(all)
  mustBeOne(location, all, manifests)
  const reading = { accountId: account.id, provider: 'gcp', isNamed: manifests.length > 0 } as const
  for (const month of monthsBetween(monthOf(asked.from), monthOf(asked.to))) {
    const parts = filesOf(month, all, manifests, asked.refusals)
    for await (const page of partLines(parts, { ...asked, month, fixHint }, reading)) yield page.map(withUid)
  }
}

async function manifestsIn(all: readonly StoredFile[]): Promise<Manifest[]> {
  const found: Manifest[] = []
  for (const one of all.filter(({ path }) => isManifestName(path))) {
    try {
      const manifest = manifestOf(one, await manifestText(one.path, await one.open()))
      if (manifest) found.push(manifest)
    } catch (error) {
      throw unreadable(one.path, error, fixHint)
    }
  }
  return found
}

const wrong = (code: string, message: string, hint: string) =>
  cloudFault('user_action', code, message, { fixHint: hint })

function mustBeOne(location: string, all: readonly StoredFile[], manifests: readonly Manifest[]): void {
  if (manifests.length === 0 && !all.some(({ path }) => isBillName(path) && !isManifestName(path)))
    throw wrong(
      'bill_not_there',
      `No CSV, JSON or Parquet file found under ${location}.`,
      'Check the bucket and the prefix.',
    )
  const names = [...new Set(manifests.map(({ name }) => name))].toSorted()
  if (names.length > 1)
    throw wrong(
      'billing_export_invalid',
      `Several exports found under ${location}: ${names.slice(0, 10).join(', ')}.`,
      'Use the prefix of one of them.',
    )
}

/**
 * The files of one billing period, and those that may contain lines of it.
 * @throws `bill_replaced`, naming missing parts
 */
function filesOf(
  month: string,
  all: readonly StoredFile[],
  manifests: readonly Manifest[],
  { warnings }: BillRefusals,
): BillPart[] {
  const partOf =
    (of: string | undefined) =>
    ({ path: name, at, open }: StoredFile): BillPart => ({ name, at, open, isMixed: of === undefined })
  if (manifests.length > 0) {
    const [own, others] = [month, undefined].map((of) => manifests.filter((one) => one.month === of))
    return [...selectNamedFiles(all, own!).map(partOf(month)), ...selectNamedFiles(all, others!).map(partOf(undefined))]
  }
  const isOfMonth = ({ path }: StoredFile) => [month, undefined].includes(monthInPath(path))
  for (const { path } of all.filter((one) => isOfMonth(one) && !isBillName(one.path)))
    warnings.ofFile(path, skippedEntry)
  return chosenFiles(all.filter(isOfMonth), []).files.map((one) => partOf(monthInPath(one.path))(one))
}

function selectNamedFiles(all: readonly StoredFile[], manifests: readonly Manifest[]): StoredFile[] {
  if (manifests.length === 0) return []
  try {
    return chosenFiles(all, manifests).files
  } catch (error) {
    if (!(error instanceof Fault) || error.kind !== 'invalid') throw error
    if (error.code === 'export_incomplete') throw cloudFault('transient', 'bill_replaced', error.message, {}, error)
    throw wrong('billing_export_invalid', error.message, 'Use the prefix of one of them.')
  }
}
