/** Answers of the other services, as far as they are used. */
import { t, type Static } from '#engine/value/schema.ts'
import { count, EnabledFlag, flag, Labels, list, some, text, texts } from './field.ts'

export const NodePool = t.Object({
  name: t.String(),
  status: text,
  version: text,
  initialNodeCount: count,
  locations: texts,
  instanceGroupUrls: texts,
  autoscaling: t.Optional(
    t.Object({
      enabled: flag,
      minNodeCount: count,
      maxNodeCount: count,
      totalMinNodeCount: count,
      totalMaxNodeCount: count,
      locationPolicy: text,
    }),
  ),
  config: t.Optional(
    t.Object({
      machineType: text,
      imageType: text,
      diskType: text,
      diskSizeGb: count,
      spot: flag,
      preemptible: flag,
      labels: Labels,
    }),
  ),
})
export type NodePool = Static<typeof NodePool>

export const Cluster = t.Object({
  name: t.String(),
  location: text,
  zone: text,
  status: text,
  createTime: text,
  endpoint: text,
  currentMasterVersion: text,
  currentNodeCount: count,
  resourceLabels: Labels,
  locations: texts,
  nodePools: list(NodePool),
  masterAuth: t.Optional(t.Object({ clusterCaCertificate: text })),
  autopilot: EnabledFlag,
  releaseChannel: t.Optional(t.Object({ channel: text })),
  privateClusterConfig: t.Optional(t.Object({ enablePrivateNodes: flag, enablePrivateEndpoint: flag })),
  masterAuthorizedNetworksConfig: EnabledFlag,
  legacyAbac: EnabledFlag,
  workloadIdentityConfig: t.Optional(t.Object({ workloadPool: text })),
  costManagementConfig: EnabledFlag,
  autoscaling: t.Optional(t.Object({ autoscalingProfile: text })),
  controlPlaneEndpointsConfig: t.Optional(
    t.Object({
      dnsEndpointConfig: t.Optional(t.Object({ endpoint: text, allowExternalTraffic: flag })),
      ipEndpointsConfig: EnabledFlag,
    }),
  ),
})
export type Cluster = Static<typeof Cluster>
export const Clusters = t.Object({ clusters: list(Cluster), missingZones: texts })

export const Database = t.Object({
  name: t.String(),
  state: text,
  region: text,
  gceZone: text,
  createTime: text,
  databaseVersion: text,
  instanceType: text,
  masterInstanceName: text,
  settings: t.Optional(
    t.Object({
      tier: text,
      activationPolicy: text,
      availabilityType: text,
      edition: text,
      dataDiskSizeGb: text,
      dataDiskType: text,
      deletionProtectionEnabled: flag,
      userLabels: Labels,
      ipConfiguration: t.Optional(
        t.Object({
          ipv4Enabled: flag,
          sslMode: text,
          requireSsl: flag,
          authorizedNetworks: list(t.Object({ value: text })),
        }),
      ),
      backupConfiguration: t.Optional(
        t.Object({ enabled: flag, backupRetentionSettings: t.Optional(t.Object({ retainedBackups: count })) }),
      ),
    }),
  ),
})
export type Database = Static<typeof Database>
export const Databases = t.Object({
  nextPageToken: text,
  items: list(Database),
  warnings: list(t.Object({ code: text, region: text })),
})
const Backup = t.Object({ id: text, description: text, status: text })
export const Backups = t.Object({ nextPageToken: text, items: list(Backup) })

const LifecycleCondition = t.Object({
  isLive: flag,
  daysSinceNoncurrentTime: count,
  noncurrentTimeBefore: text,
  numNewerVersions: count,
})
export type LifecycleCondition = Static<typeof LifecycleCondition>
const Rule = t.Object({ action: t.Optional(t.Object({ type: text })), condition: t.Optional(LifecycleCondition) })
export const Bucket = t.Object({
  name: t.String(),
  location: text,
  locationType: text,
  storageClass: text,
  timeCreated: text,
  labels: Labels,
  versioning: EnabledFlag,
  autoclass: EnabledFlag,
  lifecycle: t.Optional(t.Object({ rule: list(Rule) })),
  softDeletePolicy: t.Optional(t.Object({ retentionDurationSeconds: text })),
  iamConfiguration: t.Optional(t.Object({ uniformBucketLevelAccess: EnabledFlag, publicAccessPrevention: text })),
})
export type Bucket = Static<typeof Bucket>
export const Buckets = t.Object({ nextPageToken: text, items: list(Bucket), unreachable: texts })
export const IamPolicy = t.Object({ bindings: list(t.Object({ role: text, members: texts })) })

const Reference = t.Object({ datasetId: t.String(), projectId: text })
export const Dataset = t.Object({
  datasetReference: Reference,
  friendlyName: text,
  location: text,
  labels: Labels,
  creationTime: text,
  storageBillingModel: text,
  maxTimeTravelHours: text,
  access: list(t.Object({ specialGroup: text, iamMember: text, role: text })),
})
export type Dataset = Static<typeof Dataset>
export const Datasets = t.Object({
  nextPageToken: text,
  datasets: list(t.Object({ datasetReference: Reference, friendlyName: text, location: text, labels: Labels })),
})

export const Hadoop = t.Object({
  clusterName: t.String(),
  status: t.Optional(t.Object({ state: text, stateStartTime: text })),
  labels: Labels,
  config: t.Optional(
    t.Object({
      masterConfig: t.Optional(t.Object({ numInstances: count, machineTypeUri: text })),
      workerConfig: t.Optional(t.Object({ numInstances: count, machineTypeUri: text })),
      secondaryWorkerConfig: t.Optional(t.Object({ numInstances: count })),
      autoscalingConfig: some({ policyUri: text }),
      lifecycleConfig: some({ idleDeleteTtl: text }),
    }),
  ),
})
export type Hadoop = Static<typeof Hadoop>

export const Workbench = t.Object({
  name: t.String(),
  state: text,
  createTime: text,
  labels: Labels,
  gceSetup: some({
    machineType: text,
    metadata: Labels,
    acceleratorConfigs: list(t.Object({ coreCount: text })),
  }),
})
export type Workbench = Static<typeof Workbench>
export const Workbenches = t.Object({ nextPageToken: text, instances: list(Workbench), unreachable: texts })

export const Workstation = t.Object({ name: t.String(), state: text, labels: Labels, createTime: text })
export const AppVersion = t.Object({ id: text, name: text, servingStatus: text, env: text, instanceClass: text })

/** For services that answer with an operation, or with nothing. */
export const StartedOperation = t.Object({
  name: text,
  status: text,
  error: t.Optional(t.Object({ code: t.Optional(t.Union([t.String(), t.Number()])), message: text })),
})
