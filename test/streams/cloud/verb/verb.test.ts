import { expect } from 'chai'
import { cameOf, clouds } from './clouds.ts'
import type { Situation } from './far-resource.ts'

const situations = [
  'answered',
  'answer lost after it was taken',
  'request lost before it was taken',
  'throttled, then fine',
  'refused for a missing permission',
  'slow',
  'sent twice',
  'never answered',
] as const satisfies readonly Situation[]

/**
 * What comes of a change in each situation: the outcome of each request of the action, and how often the cloud made the
 * change. `slow` asks four times while the cloud is at it for three looks.
 */
type Outcomes = readonly [string, string, string, string, string, string, string, string]

const isOff: Outcomes = [
  'running stopping: 1',
  'running stopping: 1',
  'running stopping: 1',
  'running stopping: 1',
  'user_action permission_missing: 0',
  'running stopping, running stopping, running stopping, succeeded stopped: 1',
  'running stopping, succeeded stopped: 1',
  'running stopping: 1',
]

const isOn: Outcomes = [
  'running starting: 1',
  'running starting: 1',
  'running starting: 1',
  'running starting: 1',
  'user_action permission_missing: 0',
  'running starting, running starting, running starting, succeeded running: 1',
  'running starting, succeeded running: 1',
  'running starting: 1',
]

/** On its way, as the cloud shows. */
const underWay: Outcomes = [
  'running: 1',
  'running: 1',
  'running: 1',
  'running: 1',
  'user_action permission_missing: 0',
  'running, running, running, succeeded: 1',
  'running, succeeded: 1',
  'running: 1',
]

/** The cloud shows at once what it is to be. */
const atOnce: Outcomes = [
  'succeeded: 1',
  'succeeded: 1',
  'succeeded: 1',
  'succeeded: 1',
  'user_action permission_missing: 0',
  'succeeded, succeeded, succeeded, succeeded: 1',
  'succeeded, succeeded: 1',
  'succeeded: 1',
]

/** The number is there at once, and units run. */
const isScaled: Outcomes = [
  'succeeded running: 1',
  'succeeded running: 1',
  'succeeded running: 1',
  'succeeded running: 1',
  'user_action permission_missing: 0',
  'succeeded running, succeeded running, succeeded running, succeeded running: 1',
  'succeeded running, succeeded running: 1',
  'succeeded running: 1',
]

/** A second request would create a second one: it is not retried, and looked for later. */
const isCreatedOnce: Outcomes = [
  'running: 1',
  'running: 1',
  'transient cloud_unavailable: 0',
  'transient throttled: 0',
  'user_action permission_missing: 0',
  'running, running, running, succeeded: 1',
  'running, succeeded: 1',
  'running: 1',
]

/** Nothing shows that it is on its way; asked again, the cloud answers a retry as it answered the first request. */
const isHidden: Outcomes = [
  'running: 1',
  'running: 1',
  'running: 1',
  'running: 1',
  'user_action permission_missing: 0',
  'running, running, succeeded, succeeded: 1',
  'running, succeeded: 1',
  'transient cloud_unavailable: 1',
]

/** Shown as it was until it is done; until then the cloud says that it is busy. */
const isOffUnseen: Outcomes = [
  'running stopping: 1',
  'transient busy: 1',
  'running stopping: 1',
  'running stopping: 1',
  'user_action permission_missing: 0',
  'running stopping, transient busy, succeeded stopped, succeeded stopped: 1',
  'running stopping, succeeded stopped: 1',
  'transient cloud_unavailable: 1',
]

const isOnUnseen: Outcomes = [
  'running starting: 1',
  'transient busy: 1',
  'running starting: 1',
  'running starting: 1',
  'user_action permission_missing: 0',
  'running starting, transient busy, succeeded running, succeeded running: 1',
  'running starting, succeeded running: 1',
  'transient cloud_unavailable: 1',
]

const isResizedUnseen: Outcomes = [
  'running: 1',
  'transient busy: 1',
  'running: 1',
  'running: 1',
  'user_action permission_missing: 0',
  'running, transient busy, succeeded, succeeded: 1',
  'running, succeeded: 1',
  'transient cloud_unavailable: 1',
]

/** The cloud shows that it is changed, and not into what. */
const isChanging: Outcomes = [
  'running: 1',
  'transient busy: 1',
  'running: 1',
  'running: 1',
  'user_action permission_missing: 0',
  'running, transient busy, transient busy, succeeded: 1',
  'running, succeeded: 1',
  'transient busy: 1',
]

const isPoolScaled: Outcomes = [
  'running pending: 1',
  'running pending: 1',
  'running pending: 1',
  'running pending: 1',
  'user_action permission_missing: 0',
  'running pending, running pending, running pending, succeeded running: 1',
  'running pending, succeeded running: 1',
  'running pending: 1',
]

const expected: Readonly<Record<keyof typeof clouds, Readonly<Record<string, Outcomes>>>> = {
  aws: {
    'aws-ec2 start': isOn,
    'aws-ec2 stop': isOff,
    'aws-ec2 resize': atOnce,
    'aws-ec2 set': atOnce,
    'aws-ec2 snapshot': isCreatedOnce,
    'aws-ec2 delete': underWay,
    'aws-rds start': isOn,
    'aws-rds stop': isOff,
    'aws-rds set': underWay,
    'aws-rds snapshot': underWay,
    'aws-rds delete': underWay,
    'aws-aurora-cluster start': isOn,
    'aws-aurora-cluster stop': isOff,
    'aws-aurora-cluster set': underWay,
    'aws-aurora-cluster snapshot': underWay,
    'aws-aurora-cluster delete': underWay,
    'aws-documentdb stop': isOff,
    'aws-neptune stop': isOff,
    'aws-redshift start': isOn,
    'aws-redshift stop': isOff,
    'aws-redshift set': underWay,
    'aws-redshift snapshot': underWay,
    'aws-redshift delete': underWay,
    'aws-asg start': isOn,
    'aws-asg stop': isOff,
    'aws-asg scale': isScaled,
    'aws-asg set': atOnce,
    'aws-asg delete': underWay,
    'aws-ecs-service scale': isScaled,
    'aws-ecs-service stop': isOff,
    'aws-eks-nodegroup scale': isOn,
    'aws-eks-nodegroup start': isOn,
    'aws-ebs-volume set': underWay,
    'aws-ebs-volume snapshot': isCreatedOnce,
    'aws-ebs-volume delete': underWay,
    'aws-dynamodb-table set': atOnce,
    'aws-dynamodb-table delete': underWay,
    'aws-elasticache set': isChanging,
    'aws-elasticache delete': underWay,
    'aws-lambda set': atOnce,
    'aws-flink-app start': isOn,
    'aws-flink-app stop': isOff,
    'aws-sagemaker-notebook start': isOn,
    'aws-sagemaker-notebook stop': isOff,
    'aws-sagemaker-app start': isOn,
    'aws-sagemaker-app stop': isOff,
    'aws-workspace start': isOn,
    'aws-workspace stop': isOff,
    'aws-appstream-fleet start': isOn,
    'aws-appstream-fleet stop': isOff,
    'aws-appstream-image-builder start': isOn,
    'aws-appstream-image-builder stop': isOff,
    'aws-lightsail start': isOn,
    'aws-lightsail stop': isOff,
  },
  gcp: {
    'gcp-vm start': isOn,
    'gcp-vm stop': isOff,
    'gcp-vm resize': isHidden,
    'gcp-vm set': atOnce,
    'gcp-vm snapshot': underWay,
    'gcp-vm delete': isHidden,
    'gcp-cloudsql start': isOnUnseen,
    'gcp-cloudsql stop': isOffUnseen,
    'gcp-cloudsql set': atOnce,
    'gcp-cloudsql snapshot': isCreatedOnce,
    'gcp-cloudsql delete': underWay,
    'gcp-mig start': isOn,
    'gcp-mig stop': isOff,
    'gcp-mig scale': isScaled,
    'gcp-mig set': atOnce,
    'gcp-mig delete': isHidden,
    'gcp-gke-nodepool stop': isOff,
    'gcp-gke-nodepool scale': isOn,
    'gcp-disk set': atOnce,
    'gcp-disk snapshot': underWay,
    'gcp-disk delete': underWay,
    'gcp-dataproc stop': isOff,
    'gcp-workbench stop': isOff,
    'gcp-workstation stop': isOff,
    'gcp-gcs-bucket set': atOnce,
  },
  azure: {
    'azure-vm start': isOn,
    'azure-vm stop': isOff,
    'azure-vm resize': atOnce,
    'azure-vm set': atOnce,
    'azure-vm snapshot': underWay,
    'azure-vm delete': underWay,
    'azure-vmss start': isOn,
    'azure-vmss stop': isOff,
    'azure-vmss scale': isScaled,
    'azure-vmss resize': atOnce,
    'azure-postgres start': isOn,
    'azure-postgres stop': isOff,
    'azure-postgres resize': isResizedUnseen,
    'azure-postgres set': atOnce,
    'azure-postgres snapshot': atOnce,
    'azure-postgres delete': underWay,
    'azure-mysql stop': isOff,
    'azure-synapse-sql-pool pause': isOff,
    'azure-kusto stop': isOff,
    'azure-aks-nodepool stop': isOff,
    'azure-aks-nodepool scale': isPoolScaled,
    'azure-firewall stop': isOff,
    'azure-disk set': atOnce,
    'azure-disk snapshot': underWay,
    'azure-disk delete': underWay,
  },
}

describe('a change of a resource is made once, and reported as what came of it', () => {
  for (const [name, changes] of Object.entries(expected)) {
    const cloud = clouds[name as keyof typeof clouds]
    it(`${name}: every far type has its row`, () => {
      expect(Object.keys(changes)).to.have.members(Object.keys(cloud.types))
    })
    for (const [change, outcomes] of Object.entries(changes))
      it(`${change}, whatever happens to its request`, async () => {
        const came = await Promise.all(situations.map((situation) => cameOf(cloud, change, situation)))
        const named = (list: readonly string[]) => Object.fromEntries(situations.map((one, at) => [one, list[at]]))
        expect(named(came)).to.deep.equal(named(outcomes))
      })
  }
})
