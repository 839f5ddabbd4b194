/** Answers of Compute Engine, as far as they are used. */
import { t, type Static, type TSchema } from '#engine/value/schema.ts'
import { count, flag, Labels, list, some, text, texts } from './field.ts'

export const commonFields = { name: t.String(), selfLink: text, creationTimestamp: text, labels: Labels }

export const Instance = t.Object({
  ...commonFields,
  id: text,
  status: text,
  zone: text,
  machineType: text,
  lastStartTimestamp: text,
  deletionProtection: flag,
  scheduling: t.Optional(t.Object({ preemptible: flag, provisioningModel: text, nodeAffinities: list(t.Object({})) })),
  guestAccelerators: list(t.Object({ acceleratorCount: count })),
  networkInterfaces: list(
    t.Object({ network: text, subnetwork: text, accessConfigs: list(t.Object({ natIP: text, networkTier: text })) }),
  ),
  serviceAccounts: list(t.Object({ email: text, scopes: texts })),
  shieldedInstanceConfig: t.Optional(
    t.Object({ enableVtpm: flag, enableIntegrityMonitoring: flag, enableSecureBoot: flag }),
  ),
  metadata: t.Optional(t.Object({ fingerprint: text, items: list(t.Object({ key: text, value: text })) })),
  disks: list(t.Object({ source: text, deviceName: text, boot: flag, licenses: texts })),
})
export type Instance = Static<typeof Instance>

export const Disk = t.Object({
  ...commonFields,
  status: text,
  zone: text,
  region: text,
  type: text,
  sizeGb: text,
  users: texts,
  sourceImage: text,
  replicaZones: texts,
  provisionedIops: text,
  provisionedThroughput: text,
  lastDetachTimestamp: text,
  lastAttachTimestamp: text,
})
export type Disk = Static<typeof Disk>

export const Snapshot = t.Object({
  ...commonFields,
  status: text,
  sourceDisk: text,
  diskSizeGb: text,
  storageBytes: text,
  storageLocations: texts,
  snapshotType: text,
  autoCreated: flag,
})
export type Snapshot = Static<typeof Snapshot>

export const Address = t.Object({
  ...commonFields,
  status: text,
  region: text,
  address: text,
  addressType: text,
  purpose: text,
  networkTier: text,
  users: texts,
})
export type Address = Static<typeof Address>

export const ForwardingRule = t.Object({
  ...commonFields,
  region: text,
  IPAddress: text,
  IPProtocol: text,
  loadBalancingScheme: text,
  target: text,
  backendService: text,
  networkTier: text,
})
export type ForwardingRule = Static<typeof ForwardingRule>

export const BackendService = t.Object({ ...commonFields, backends: list(t.Object({ group: text })) })
export type BackendService = Static<typeof BackendService>

export const Group = t.Object({
  ...commonFields,
  zone: text,
  region: text,
  targetSize: count,
  instanceTemplate: text,
  currentActions: t.Optional(t.Record(t.String(), t.Number())),
  status: t.Optional(t.Object({ isStable: flag, autoscaler: text })),
  distributionPolicy: t.Optional(t.Object({ zones: list(t.Object({ zone: text })) })),
})
export type Group = Static<typeof Group>

const Target = t.Optional(t.Object({ utilizationTarget: count }))
export const Autoscaler = t.Object({
  ...commonFields,
  description: text,
  target: text,
  recommendedSize: count,
  autoscalingPolicy: t.Optional(
    t.Object({
      minNumReplicas: count,
      maxNumReplicas: count,
      mode: text,
      cpuUtilization: Target,
      loadBalancingUtilization: Target,
      customMetricUtilizations: list(
        t.Object({ metric: text, utilizationTarget: count, singleInstanceAssignment: count }),
      ),
      scalingSchedules: t.Optional(t.Record(t.String(), t.Object({}))),
    }),
  ),
})
export type Autoscaler = Static<typeof Autoscaler>

export const Template = t.Object({
  name: t.String(),
  properties: t.Optional(
    t.Object({
      machineType: text,
      scheduling: t.Optional(t.Object({ preemptible: flag, provisioningModel: text })),
      disks: list(t.Object({ initializeParams: some({ sourceImage: text }) })),
    }),
  ),
})
export type Template = Static<typeof Template>

export const Region = t.Object({
  name: t.String(),
  quotas: list(t.Object({ metric: text, limit: count, usage: count })),
})

/** A started change; with `error` if it has already failed. */
export const Operation = t.Object({
  name: text,
  status: text,
  error: t.Optional(t.Object({ errors: list(t.Object({ code: text, message: text })) })),
})
export type Operation = Static<typeof Operation>

/** A list for the whole project. `unreachables`, and warnings of scopes, name places that did not answer. */
export const aggregatedListOf = <M extends string, S extends TSchema>(member: M, of: S) =>
  t.Object({
    nextPageToken: text,
    unreachables: texts,
    items: t.Optional(
      t.Record(
        t.String(),
        t.Intersect([
          t.Object({ warning: t.Optional(t.Object({ code: text })) }),
          t.Object({ [member]: t.Optional(t.Array(of)) } as {
            [K in M]: ReturnType<typeof t.Optional<ReturnType<typeof t.Array<S>>>>
          }),
        ]),
      ),
    ),
  })

export const listPageOf = <S extends TSchema>(of: S) => t.Object({ nextPageToken: text, items: list(of) })
