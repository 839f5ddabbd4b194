/**
 * AWS bill exports in S3: Cost and Usage Reports (`<name>/<first day>-<end>/`) and Data Exports
 * (`<name>/metadata/BILLING_PERIOD=<month>/`). Each version has a manifest, written when all its files exist. The
 * newest manifest of a month lists the files of its bill.
 */
import { parseJson } from '#engine/value/json.ts'
import { cloudFault } from '#streams/cloud/connector.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'
import { objectText, type ObjectAt } from './object.ts'
import { globalRegion, type AwsSession } from '#streams/cloud/aws/session/session.ts'

interface BillFile extends ObjectAt {
  /** When the version was finished. */
  at: Date
}

export interface AwsBillExport {
  /** The files of the newest version for a month (YYYY-MM); empty if nothing was exported for it yet. */
  filesOf: (month: string) => Promise<BillFile[]>
}

interface Manifest extends ObjectAt {
  /** The export's folder. */
  root: string
  month: string
  at: Date
}

const shapes = [
  /^(?<root>.*\/|)(?<year>\d{4})(?<month>\d{2})01-\d{8}\/(?:[^/]+\/)?[^/]+-Manifest\.json$/,
  /^(?<root>.*?\/|)(?:metadata\/)?BILLING_PERIOD=(?<year>\d{4})-(?<month>\d{2})\/(?:[^/]+\/)?[^/]*Manifest\.json$/,
]

/** Maximum objects searched below a location. */
const objectsMax = 1_000_000

/** @throws `billing_export_invalid`, `bill_not_there`, and faults of S3 */
export async function exportOf(session: AwsSession, location: string): Promise<AwsBillExport> {
  const { bucket, prefix } = placeOfBucket(location)
  const region = await regionOfBucket(session, bucket)
  const manifests = await manifestsIn(session, { bucket, region, key: prefix })
  const roots = [...new Set(manifests.map(({ root }) => root))].toSorted()
  if (roots.length === 0)
    throw wrong(
      'bill_not_there',
      `No export manifest found under ${location}.`,
      'Check the bucket and the prefix. AWS writes a new export within a day.',
    )
  if (roots.length > 1)
    throw wrong(
      'billing_export_invalid',
      `Several exports found under ${location}: ${roots.slice(0, 10).join(', ')}.`,
      `Use the folder of one of them: s3://${bucket}/${roots[0]}`,
    )
  return { filesOf: (month) => filesOf(session, manifests, month) }
}

const wrong = (code: string, message: string, fixHint: string) => cloudFault('user_action', code, message, { fixHint })

/** @throws `billing_export_invalid` */
export function placeOfBucket(location: string): { bucket: string; prefix: string } {
  const [, bucket, prefix = ''] = /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(.*))?$/.exec(location) ?? []
  if (bucket === undefined)
    throw wrong(
      'billing_export_invalid',
      `${location} is not an S3 location.`,
      'Use s3://<bucket>/<prefix of the export>.',
    )
  return { bucket, prefix: prefix.replace(/^\/+/, '') }
}

/** The bucket's region; us-east-1 if the role may not query it. */
export async function regionOfBucket(session: AwsSession, bucket: string): Promise<string> {
  const place = { Bucket: bucket }
  try {
    const answer = await session.ask('s3', globalRegion, (m) => new m.GetBucketLocationCommand(place))
    const told = answer.LocationConstraint as string | undefined
    return told === 'EU' ? 'eu-west-1' : told || globalRegion
  } catch (error) {
    if (isWord(error, /^AccessDenied/)) return globalRegion
    throw error
  }
}

async function manifestsIn(session: AwsSession, { bucket, region, key: Prefix }: ObjectAt): Promise<Manifest[]> {
  const found: Manifest[] = []
  let seen = 0
  const pages = session.pages(
    's3',
    region,
    (m, ContinuationToken) =>
      new m.ListObjectsV2Command({ Bucket: bucket, Prefix, ...(ContinuationToken && { ContinuationToken }) }),
    ({ NextContinuationToken }) => NextContinuationToken,
  )
  for await (const { Contents = [] } of pages) {
    for (const { Key: key = '', LastModified: at = new Date(0) } of Contents) {
      const named = shapes.map((shape) => shape.exec(key)?.groups).find(Boolean)
      if (named)
        found.push({ bucket, region, key, at, root: named['root']!, month: `${named['year']}-${named['month']}` })
    }
    if ((seen += Contents.length) > objectsMax)
      throw wrong(
        'billing_export_invalid',
        `The location has more than ${objectsMax} objects.`,
        'Use the folder of the export.',
      )
  }
  return found
}

/** With equal times, prefers the manifest with the shorter path, which AWS overwrites with each version. */
async function filesOf(session: AwsSession, manifests: readonly Manifest[], month: string): Promise<BillFile[]> {
  const [newest] = manifests
    .filter((one) => one.month === month)
    .toSorted((one, other) => other.at.getTime() - one.at.getTime() || one.key.length - other.key.length)
  if (!newest) return []
  const { bucket, region, at } = newest
  const names = filesIn(manifestOf(newest, await objectText(session, newest)))
  const files = names.map((name) => {
    const [, inside = bucket, key = name] = /^s3:\/\/([^/]+)\/(.+)$/.exec(name) ?? []
    return { bucket: inside, region, key: key.replace(/^\/+/, ''), at }
  })
  await mustBeThere(session, files, newest.key)
  return files
}

/** @throws `bill_replaced` of bucket `transient`, naming the listed files that do not exist; then nothing is read */
async function mustBeThere(session: AwsSession, files: readonly BillFile[], manifest: string): Promise<void> {
  const missing: string[] = []
  for (const { bucket: Bucket, region, key: Key } of files) {
    try {
      await session.ask('s3', region, (m) => new m.HeadObjectCommand({ Bucket, Key }))
    } catch (error) {
      if (!isWord(error, /^(NotFound|NoSuchKey|404)/)) throw error
      missing.push(Key)
    }
  }
  if (missing.length > 0)
    throw cloudFault('transient', 'bill_replaced', `${missing.join(', ')} listed in ${manifest} is missing.`)
}

function manifestOf({ key }: Manifest, text: string): unknown {
  try {
    return parseJson(text)
  } catch (error) {
    throw cloudFault('system', 'unknown_answer', `${key} is not a manifest: it is not valid JSON.`, {}, error)
  }
}

const depthMax = 8

/** Collects all names of data files in a manifest, wherever they are listed. */
function filesIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return /\.(csv|gz|zip|parquet)$/i.test(value) ? [value] : []
  if (typeof value !== 'object' || value === null || depth > depthMax) return []
  return [...new Set(Object.values(value).flatMap((one) => filesIn(one, depth + 1)))]
}
