/** The types of resources that are described by one value each. */
import type { ListedFinder } from '#streams/cloud/gcp/discover/listed.ts'
import { bigqueryTables } from './analytics/bigquery-table.ts'
import { composerEnvironments } from './analytics/composer.ts'
import { dataFusionInstances } from './analytics/data-fusion.ts'
import { dataflowJobs } from './analytics/dataflow.ts'
import { pubsubSubscriptions } from './analytics/pubsub.ts'
import { vertexEndpoints } from './analytics/vertex-endpoint.ts'
import { appVersions } from './compute/app-engine.ts'
import { cloudRunServices } from './compute/cloud-run.ts'
import { commitments } from './compute/commitment.ts'
import { functions } from './compute/function.ts'
import { images } from './compute/image.ts'
import { reservations } from './compute/reservation.ts'
import { workstations } from './compute/workstation.ts'
import { alloydbInstances } from './database/alloydb.ts'
import { bigtableClusters } from './database/bigtable.ts'
import { cloudsqlBackups } from './database/cloudsql-backup.ts'
import { filestoreInstances } from './database/filestore.ts'
import { redisInstances } from './database/redis.ts'
import { spannerInstances } from './database/spanner.ts'
import { billingAccount } from './management/billing-account.ts'
import { logBuckets } from './management/log-bucket.ts'
import { projectItself } from './management/project.ts'
import { natGateways } from './network/cloud-nat.ts'
import { dnsZones } from './network/dns-zone.ts'
import { firewallRules } from './network/firewall-rule.ts'
import { interconnectAttachments } from './network/interconnect.ts'
import { subnets } from './network/subnet.ts'
import { vpnTunnels } from './network/vpn-tunnel.ts'
import { kmsKeys } from './security/kms-key.ts'
import { secrets } from './security/secret.ts'
import { serviceAccounts } from './security/service-account.ts'

/** Found after disks, which they count. */
export const afterDisks: readonly ListedFinder[] = [images]

/** Each on its own. */
export const alone: readonly ListedFinder[] = [
  projectItself,
  billingAccount,
  reservations,
  commitments,
  cloudRunServices,
  functions,
  appVersions,
  workstations,
  redisInstances,
  spannerInstances,
  bigtableClusters,
  alloydbInstances,
  cloudsqlBackups,
  filestoreInstances,
  bigqueryTables,
  dataflowJobs,
  composerEnvironments,
  dataFusionInstances,
  vertexEndpoints,
  pubsubSubscriptions,
  natGateways,
  vpnTunnels,
  interconnectAttachments,
  subnets,
  firewallRules,
  dnsZones,
  secrets,
  kmsKeys,
  serviceAccounts,
  logBuckets,
]

export const listedTypes: readonly ListedFinder[] = [...afterDisks, ...alone]
