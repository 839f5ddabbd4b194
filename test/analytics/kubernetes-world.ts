/** Rows of clusters as the kubernetes actor writes them, straight into the tables. */
import type { ClickHouseClient } from '@clickhouse/client'

export const clusterUid = 'arn:aws:eks:us-east-1:111122223333:cluster/shop'
const day = '2026-01-15'
const gib = 1_048_576

/** A moment of 2026-01-15. */
export const at = (hour: number, minute = 0): string =>
  `${day} ${String(hour).padStart(2, '0')}:${String(minute).padStart(2, '0')}:00`

type Row = Record<string, unknown>

/** Two cores, 8 GiB; six tenths of its price are for processors. */
export const node = (org: string, hour: number, more: Row = {}): Row => ({
  org_id: org,
  cloud_account_id: 'acct-1',
  day,
  cluster_uid: clusterUid,
  node: 'n1',
  from: at(hour),
  seconds: 3600,
  resource_uid: 'i-1',
  provider: 'aws',
  region: 'us-east-1',
  instance_type: 'm5.large',
  cpu_millicores: 2000,
  memory_kib: 8 * gib,
  gpu_millis: 0,
  cpu_ppm: 600_000,
  gpu_ppm: 0,
  price: '0',
  x_Version: '1',
  ...more,
})

/** Half a core and 2 GiB requested, a core and 1 GiB used. */
export const pod = (org: string, hour: number, more: Row = {}): Row => ({
  org_id: org,
  cloud_account_id: 'acct-1',
  day,
  cluster_uid: clusterUid,
  namespace: 'orders',
  pod: 'api-1',
  node: 'n1',
  from: at(hour),
  seconds: 3600,
  controller_kind: 'deployment',
  controller: 'api',
  labels: { app: 'api', team: 'shop' },
  cpu_request: 500,
  cpu_used: 1000,
  memory_request: 2 * gib,
  memory_used: gib,
  gpu_request: 0,
  network_bytes: null,
  x_Version: '1',
  ...more,
})

export const object = (org: string, hour: number, more: Row = {}): Row => ({
  org_id: org,
  cloud_account_id: 'acct-1',
  day,
  cluster_uid: clusterUid,
  kind: 'claim',
  namespace: 'orders',
  name: 'data',
  from: at(hour),
  seconds: 3600,
  resource_uid: 'vol-1',
  pods: [] as string[],
  x_Version: '1',
  ...more,
})

/** Puts rows of one table there. */
export const put = (ch: ClickHouseClient, table: string, rows: readonly Row[]) =>
  ch.insert({ table, format: 'JSONEachRow', values: rows })
