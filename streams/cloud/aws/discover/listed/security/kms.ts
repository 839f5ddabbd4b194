import type { KeyListEntry, KeyMetadata } from '@aws-sdk/client-kms'
import { callsAtOnce, type RegionScan } from '#streams/cloud/aws/discover/finder.ts'
import { also, listType } from '#streams/cloud/aws/discover/listed.ts'
import { listOf, timeOf } from '#streams/cloud/aws/map/resource.ts'
import { mapConcurrently } from '#streams/cloud/bill/merge.ts'

/** What is known of a key whose own policy hides the rest. */
type Key = Partial<KeyMetadata> & { Arn: string | undefined; alias: string | undefined }

export const kmsKeys = listType('kms', {
  type: 'aws-kms-key',
  permissions: [
    'kms:ListKeys',
    'kms:DescribeKey',
    'kms:ListAliases',
    'kms:GetKeyRotationStatus',
    'kms:ListResourceTags',
  ],
  list: (m, Marker) => new m.ListKeysCommand({ Limit: 1000, ...(Marker && { Marker }) }),
  next: ({ NextMarker }) => NextMarker,
  items: ({ Keys }, place) => describeKeys(place, listOf(Keys)),
  // AWS makes keys for its services and does not charge for them.
  isOwn: ({ KeyManager }) => KeyManager !== 'AWS',
  detail: async (key, place) => {
    const { KeyId } = key
    // Each key has a policy of its own, which may deny what those of others allow.
    const [rotation, tags] = await Promise.all([
      canRotate(key)
        ? also(place, `rotation ${KeyId}`, () => place.ask('kms', (m) => new m.GetKeyRotationStatusCommand({ KeyId })))
        : undefined,
      also(place, `tags ${KeyId}`, () => place.ask('kms', (m) => new m.ListResourceTagsCommand({ KeyId }))),
    ])
    return { rotation, tags: tags?.Tags }
  },
  uid: ({ Arn }) => Arn,
  fields: ({ KeyId, alias }, _, detail) => ({
    name: alias ?? KeyId,
    tags: listOf(detail?.tags).map(({ TagKey, TagValue }) => ({ Key: TagKey, Value: TagValue })),
  }),
  specs: {
    created_at: ({ CreationDate }) => timeOf(CreationDate),
    state: ({ KeyState }) => KeyState,
    manager: ({ KeyManager }) => KeyManager,
    rotation_enabled: (key, detail) =>
      key.KeyState === undefined || canRotate(key) ? detail?.rotation?.KeyRotationEnabled : null,
    key_spec: ({ KeySpec }) => KeySpec,
  },
})

/** Others have no rotation to ask for: KMS refuses the question. */
const canRotate = ({ KeySpec, KeyState, Origin }: Key): boolean =>
  KeySpec === 'SYMMETRIC_DEFAULT' && KeyState === 'Enabled' && Origin === 'AWS_KMS'

async function describeKeys(place: RegionScan, keys: readonly KeyListEntry[]): Promise<Key[]> {
  const aliases = keys.length === 0 ? undefined : await also(place, 'aliases', () => aliasesIn(place))
  return mapConcurrently(keys, callsAtOnce, async ({ KeyId, KeyArn }) => {
    const found = await also(place, `key ${KeyId}`, () => place.ask('kms', (m) => new m.DescribeKeyCommand({ KeyId })))
    return { KeyId, ...found?.KeyMetadata, Arn: KeyArn, alias: aliases?.get(KeyId ?? '') }
  })
}

/** By key; the first one of a key counts. */
async function aliasesIn(place: RegionScan): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const answers = place.pages(
    'kms',
    (m, Marker) => new m.ListAliasesCommand({ Limit: 100, ...(Marker && { Marker }) }),
    ({ NextMarker }) => NextMarker,
  )
  for await (const { Aliases } of answers)
    for (const { TargetKeyId, AliasName } of listOf(Aliases))
      if (TargetKeyId && AliasName && !names.has(TargetKeyId)) names.set(TargetKeyId, AliasName.replace(/^alias\//, ''))
  return names
}
