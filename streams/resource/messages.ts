/** Messages of resources in the inventory: discovered, deleted and looked up. */
import { t } from '#engine/value/schema.ts'
import { subject } from '#engine/actor/subject.ts'
import { ProviderGiven } from '#streams/names.ts'
import { text } from '#streams/text.ts'

export const resourceStatuses = ['running', 'stopped', 'starting', 'stopping', 'pending'] as const
export type ResourceStatus = (typeof resourceStatuses)[number]

const id = (description: string) => text({ minLength: 1, maxLength: 1024, description })
export const Tags = t.Record(t.String(), text(), { description: 'string to string, at most 256 keys' })

/** A resource as discovered. An older `time` never overwrites a newer one of the same resource. */
export const resourceDiscovered = subject({
  name: 'resource.discovered',
  kind: 'resource',
  summary:
    'A resource exists, with its current attributes. Send it once per resource and refresh, or whenever the resource changes.',
  place: (data) => data.cloudAccountId,
  echo: { key: 'resourceUid', place: 'cloudAccountId', except: 'refreshId' },
  schema: t.Object({
    resourceUid: id("The cloud provider's native identifier; may contain slashes"),
    name: text(),
    type: text({ pattern: '^[a-z][a-z0-9]*-[a-z0-9][a-z0-9-]*$', description: '<provider>-<kind>' }),
    provider: ProviderGiven,
    cloudAccountId: id('Connected cloud account'),
    region: text(),
    parentUID: t.Optional(text({ description: 'UID of the cluster, node pool or workspace that contains it' })),
    status: t.Optional(t.Enum(resourceStatuses)),
    instanceType: t.Optional(text()),
    sizeGB: t.Optional(t.Union([t.Number({ minimum: 0 }), t.Null()])),
    unitCount: t.Optional(t.Union([t.Integer({ minimum: 0, maximum: 2147483647 }), t.Null()])),
    tags: t.Optional(Tags),
    schedulable: t.Optional(t.Boolean()),
    resourceGroup: t.Optional(text()),
    specs: t.Optional(t.Record(t.String(), t.Unknown(), { description: 'attributes of the resource type, free-form' })),
    hourlyRateUSD: t.Optional(t.Number({ minimum: 0, description: 'US dollars per hour while running' })),
    refreshId: t.Optional(text({ description: 'the refresh that found it, if any' })),
  }),
  examples: [
    {
      resourceUid: 'i-0a1b2c3d4e5f60718',
      name: 'shop-prod-web-1',
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: 'acct-1',
      region: 'us-east-1',
      status: 'running',
      instanceType: 'm5.large',
      tags: { env: 'prod' },
      hourlyRateUSD: 0.096,
    },
    {
      resourceUid: 'cluster-1/default/deployment/web',
      name: 'web',
      type: 'gcp-gke-deployment',
      provider: 'gcp',
      cloudAccountId: 'acct-2',
      region: 'europe-west1',
      parentUID: 'cluster-1',
      unitCount: 3,
      tags: {},
      refreshId: 'refresh-1',
    },
  ],
})

/** The resource no longer exists since `time`. It leaves the inventory; its past cost stays. */
export const resourceDeleted = subject({
  name: 'resource.deleted',
  kind: 'resource',
  summary: 'A resource was deleted. It leaves the inventory; its past cost remains in reports.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    resourceUid: id('UID of the resource'),
    provider: ProviderGiven,
    cloudAccountId: id('Connected cloud account'),
    refreshId: t.Optional(
      text({
        description: 'the refresh that did not find it, if any; the resource is kept if it was seen at that exact time',
      }),
    ),
  }),
  examples: [
    { resourceUid: 'i-0a1b2c3d4e5f60718', provider: 'aws', cloudAccountId: 'acct-1' },
    { resourceUid: 'i-0a1b2c3d4e5f60718', provider: 'aws', cloudAccountId: 'acct-1', refreshId: 'refresh-1' },
  ],
})

/**
 * From a known resource to the actors that follow its state: the state observed in the cloud, never the expected result
 * of an action. Sent when it changes, for resources that can be started and stopped; for others when they disappear and
 * return.
 */
export const stateSettled = subject({
  name: 'state.settled',
  kind: 'actor',
  summary: 'The state of a resource changed.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: id('Connected cloud account'),
    resourceUid: id('UID of the resource'),
    /** `pending`: it cannot be observed. */
    status: t.Enum(['running', 'stopped', 'pending']),
    instanceType: text(),
    deleted: t.Boolean(),
    hourlyRateUsd: t.Union([t.Number({ minimum: 0 }), t.Null()]),
    at: t.String({ format: 'date-time' }),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      status: 'stopped',
      instanceType: 'm5.large',
      deleted: false,
      hourlyRateUsd: 0.096,
      at: '2026-01-15T19:00:01.000Z',
    },
  ],
})

/** The observed state of a resource after a change by the service: the inventory shows it before the next scan. */
export const resourceLooked = subject({
  name: 'resource.looked',
  kind: 'actor',
  summary: 'The observed state of a resource after a change.',
  place: (data) => data.cloudAccountId,
  schema: t.Object({
    cloudAccountId: id('Connected cloud account'),
    resourceUid: id('UID of the resource'),
    at: t.String({ format: 'date-time' }),
    status: t.Optional(t.Enum(resourceStatuses)),
    instanceType: t.Optional(text()),
    /** Changed specs only. */
    specs: t.Record(t.String(), t.Unknown()),
  }),
  examples: [
    {
      cloudAccountId: 'acct-1',
      resourceUid: 'i-1',
      at: '2026-01-15T05:00:00.000Z',
      status: 'running',
      instanceType: 'm5a.xlarge',
      specs: {},
    },
  ],
})

export const resourceMessages = [resourceDiscovered, resourceDeleted, stateSettled, resourceLooked]
