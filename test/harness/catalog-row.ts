/** Jobs of provisioning and databases as rows, for what only reads or keeps them. */
import { randomUUID } from 'node:crypto'
import { freshSteps } from '#actors/catalog/job/step.ts'
import type { Tenant } from '#test/harness/product.ts'

const at = '2030-01-07T13:00:00.000Z'

const ready = {
  cloud_account_id: 'acct-1',
  space_id: '5b0f6f0e-1e4a-8a36-9a43-0f9f2b9f6a01',
  provider: 'aws',
  region: 'us-east-1',
  cluster_uid: null as string | null,
  kind: 'datastore',
  name: 'orders',
  config: { engine: 'postgres' },
  tags: {},
  phase: 'ready',
  current_step: null as string | null,
  steps: freshSteps('datastore').map((step) => ({ ...step, status: 'succeeded', attempts: 1 })),
  error: null as object | null,
  attempts: 1,
  awaited: null as object | null,
  calls: 7,
  undo: null as string[] | null,
  defects: [] as object[],
  secrets: null as string | null,
  expires_at: null as string | null,
  created_by: 'u-1',
  created_at: at,
  updated_at: at,
  completed_at: at as string | null,
}

const available = {
  cloud_account_id: 'acct-1',
  name: 'shop',
  owner: 'shop_app',
  status: 'available',
  server: 'orders.example',
  port: 5432,
  secret_ref: 'secret://job/shop_app',
  secret: null as string | null,
  error: null as object | null,
  call: '',
  created_by: 'u-1',
  created_at: at,
  updated_at: at,
}

type Kept = Pick<Tenant, 'orgId' | 'connections'>

async function planted({ orgId, connections }: Kept, table: string, row: object): Promise<string> {
  const id = randomUUID()
  await connections.store.pool.query(`insert into ${table} select * from jsonb_populate_record(null::${table}, $1)`, [
    JSON.stringify({ org_id: orgId, id, ...row }),
  ])
  return id
}

/** Its id. */
export const plantedJob = (of: Kept, fields: Partial<typeof ready> = {}): Promise<string> =>
  planted(of, 'provisioning_job', { ...ready, ...fields })

export const plantedDatabase = (of: Kept, jobId: string, fields: Partial<typeof available> = {}): Promise<string> =>
  planted(of, 'provisioned_database', { ...available, job_id: jobId, ...fields })
