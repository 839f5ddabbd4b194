import type { Bucket } from '@aws-sdk/client-s3'
import { Fault } from '#engine/value/fault.ts'
import { listOf } from '#streams/cloud/aws/map/resource.ts'
import { deniesPlainHttp } from '#streams/cloud/aws/resource/policy-text.ts'
import { bucket, type BucketMore } from '#streams/cloud/aws/map/s3.ts'
import { globalRegion } from '#streams/cloud/aws/session/session.ts'
import { isCredentialsRefused, type DiscoveredResource } from '#streams/cloud/connector.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'
import { callsAtOnce, present, type Finder, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'

const types = ['aws-s3-bucket']

export const bucketFinder: Finder = {
  types,
  service: 's3',
  scope: 'global',
  async *find(place) {
    const answers = place.pages(
      's3',
      (m, ContinuationToken) =>
        new m.ListBucketsCommand({ MaxBuckets: 1000, ...(ContinuationToken && { ContinuationToken }) }),
      ({ ContinuationToken }) => ContinuationToken,
    )
    for await (const { Buckets } of answers) {
      const found = await mapConcurrently(listOf(Buckets), callsAtOnce, (one) => describeBucket(place, one))
      yield found.flat()
    }
  },
  seen: ({ known: { buckets }, session }) => {
    const wanted = session.account.regions
    // All buckets in whatever region; if a region failed, those of the other regions.
    if (buckets.lost.size === 0) return [{ types, regions: [...wanted] }]
    const regions = wanted.length > 0 ? wanted : [...buckets.regions]
    const left = regions.filter((region) => !buckets.lost.has(region))
    return left.length === 0 ? [] : [{ types, regions: left }]
  },
}

/** A bucket is queried in its region, so a failing region hides only its own buckets. */
async function describeBucket(place: RegionScan, one: Bucket): Promise<DiscoveredResource[]> {
  const { Name } = one
  if (!Name) return []
  const region = one.BucketRegion ?? (await regionOf(place, Name))
  if (region === undefined) return bucket(one, place, {})
  const { regions } = place.session.account
  if (regions.length > 0 && !regions.includes(region)) return []
  const { lost, regions: found } = place.known.buckets
  found.add(region)
  if (lost.has(region)) return []
  try {
    return bucket(one, { region, account: place.account }, await moreOf(place, Name, region))
  } catch (error) {
    if (!(error instanceof Fault) || isCredentialsRefused(error)) throw error
    if (!lost.has(region)) place.notes.lost(types, error, region)
    lost.add(region)
    return []
  }
}

/** Legacy names: us-east-1 has none, and eu-west-1 is `EU`. */
const locations: Readonly<Record<string, string>> = { '': globalRegion, EU: 'eu-west-1' }

async function regionOf(place: RegionScan, Bucket: string): Promise<string | undefined> {
  const answer = await place.more('location', () =>
    present(place.ask('s3', (m) => new m.GetBucketLocationCommand({ Bucket }))),
  )
  const name = answer && (answer.LocationConstraint ?? '')
  return name === undefined ? undefined : (locations[name] ?? name)
}

/** The policy of a bucket may forbid what others allow, so refusals are noted per bucket. */
async function moreOf(place: RegionScan, Bucket: string, region: string): Promise<BucketMore> {
  const { session } = place
  const tags = await place.more(`tags ${Bucket}`, () =>
    present(session.ask('s3', region, (m) => new m.GetBucketTaggingCommand({ Bucket }))),
  )
  const versioning = await place.more(`versioning ${Bucket}`, () =>
    present(session.ask('s3', region, (m) => new m.GetBucketVersioningCommand({ Bucket }))),
  )
  const lifecycle = await place.more(`lifecycle ${Bucket}`, async () => {
    const ask = session.ask('s3', region, (m) => new m.GetBucketLifecycleConfigurationCommand({ Bucket }))
    return (await present(ask))?.Rules ?? []
  })
  const encryption = await place.more(`encryption ${Bucket}`, () =>
    present(session.ask('s3', region, (m) => new m.GetBucketEncryptionCommand({ Bucket }))),
  )
  const policy = await place.more(`policy ${Bucket}`, async () => {
    const ask = session.ask('s3', region, (m) => new m.GetBucketPolicyStatusCommand({ Bucket }))
    return (await present(ask))?.PolicyStatus?.IsPublic
  })
  const isTlsOnly = await place.more(`policy text ${Bucket}`, async () => {
    const answer = await present(session.ask('s3', region, (m) => new m.GetBucketPolicyCommand({ Bucket })))
    return deniesPlainHttp(answer?.Policy)
  })
  return {
    tags: tags?.TagSet,
    versioning: versioning && (versioning.Status ?? 'Off'),
    lifecycle,
    encryption: encryption?.ServerSideEncryptionConfiguration?.Rules,
    // If the policy is not public, the access control list may be: unknown.
    isPublic: policy || undefined,
    isTlsOnly,
  }
}
