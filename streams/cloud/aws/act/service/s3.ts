/** Buckets of S3: the rules by which objects move to cheaper storage and go. */
import type { LifecycleRule } from '@aws-sdk/client-s3'
import {
  absent,
  ignoreNotFound,
  unsupportedFault,
  type ResourceKind,
  type ResourceState,
} from '#streams/cloud/resource/verb/kind.ts'
import type { At, Verbs } from '#streams/cloud/aws/act/kind.ts'
import { isWord } from '#streams/cloud/aws/session/fault.ts'

async function rulesOf({ session, region, name }: At): Promise<LifecycleRule[]> {
  try {
    const answer = await session.ask(
      's3',
      region,
      (m) => new m.GetBucketLifecycleConfigurationCommand({ Bucket: name }),
    )
    return answer.Rules ?? []
  } catch (error) {
    if (isWord(error, /^NoSuchLifecycleConfiguration$/)) return []
    throw error
  }
}

async function encryptionOf({ session, region, name }: At) {
  try {
    const answer = await session.ask('s3', region, (m) => new m.GetBucketEncryptionCommand({ Bucket: name }))
    return answer.ServerSideEncryptionConfiguration?.Rules?.[0]
  } catch (error) {
    if (isWord(error, /^ServerSideEncryptionConfigurationNotFound/)) return undefined
    throw error
  }
}

async function look(at: At): Promise<ResourceState> {
  const { session, region, name } = at
  const found = await ignoreNotFound(session.ask('s3', region, (m) => new m.HeadBucketCommand({ Bucket: name })))
  if (!found) return absent
  const enabled = (await rulesOf(at)).filter(({ Status }) => Status === 'Enabled')
  const tiers = enabled.flatMap(({ Transitions = [] }) => Transitions.flatMap(({ StorageClass }) => StorageClass ?? []))
  const encryption = await encryptionOf(at)
  return {
    exists: true,
    status: 'running',
    specs: {
      lifecycle_rule_count: enabled.length,
      tiering_rule: tiers.length > 0,
      ...(tiers[0] && { storage_class: tiers[0] }),
      abort_multipart_rule: enabled.some((rule) => rule.AbortIncompleteMultipartUpload !== undefined),
      noncurrent_rule: enabled.some(isNoncurrent),
      bucket_key_enabled: encryption?.BucketKeyEnabled ?? false,
    },
  }
}

const isNoncurrent = (rule: LifecycleRule): boolean =>
  rule.NoncurrentVersionExpiration !== undefined || (rule.NoncurrentVersionTransitions ?? []).length > 0

/** Days after which each is done. */
const abortDays = 7
const noncurrentDays = 30

const wholeBucketRule = { Status: 'Enabled', Filter: { Prefix: '' } } as const
const ours: Readonly<Record<string, LifecycleRule>> = {
  tiering_rule: {
    ...wholeBucketRule,
    ID: 'tidemark-tiering',
    Transitions: [{ Days: 0, StorageClass: 'INTELLIGENT_TIERING' }],
  },
  abort_multipart_rule: {
    ...wholeBucketRule,
    ID: 'tidemark-abort-multipart',
    AbortIncompleteMultipartUpload: { DaysAfterInitiation: abortDays },
  },
  noncurrent_rule: {
    ...wholeBucketRule,
    ID: 'tidemark-noncurrent',
    NoncurrentVersionExpiration: { NoncurrentDays: noncurrentDays },
  },
}

/** Rules of the customer's stay: AWS takes all of them at once, so that they are put back beside ours. */
const set: Verbs['set'] = async (at, specs) => {
  const { session, region, name, ref } = at
  const { storage_class: storageClass, bucket_key_enabled: hasKey, ...named } = specs
  const rules = storageClass === undefined ? named : { ...named, tiering_rule: true }
  if (storageClass !== undefined && storageClass !== 'INTELLIGENT_TIERING')
    throw unsupportedFault(ref, `moving objects to ${JSON.stringify(storageClass)}`)
  const more = Object.entries(rules).map(([spec, value]) => {
    if (value !== true) throw unsupportedFault(ref, `removing its ${spec}`)
    return ours[spec]!
  })
  if (more.length > 0) {
    const kept = (await rulesOf(at)).filter(({ ID }) => more.every((rule) => rule.ID !== ID))
    const order = { Bucket: name, LifecycleConfiguration: { Rules: [...kept, ...more] } }
    await session.ask('s3', region, (m) => new m.PutBucketLifecycleConfigurationCommand(order))
  }
  if (hasKey !== undefined) await setBucketKey(at, hasKey === true)
}

async function setBucketKey(at: At, BucketKeyEnabled: boolean): Promise<void> {
  const { session, region, name, ref } = at
  const rule = await encryptionOf(at)
  if (!rule) throw unsupportedFault(ref, 'bucket keys without key encryption')
  const order = {
    Bucket: name,
    ServerSideEncryptionConfiguration: { Rules: [{ ...rule, BucketKeyEnabled }] },
  }
  await session.ask('s3', region, (m) => new m.PutBucketEncryptionCommand(order))
}

/** AWS deletes none that holds objects: it says so. */
export const bucket: ResourceKind<At> = {
  look,
  sets: ['tiering_rule', 'storage_class', 'abort_multipart_rule', 'noncurrent_rule', 'bucket_key_enabled'],
  set,
  delete: ({ session, region, name }) => session.ask('s3', region, (m) => new m.DeleteBucketCommand({ Bucket: name })),
}
