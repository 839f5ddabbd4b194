import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import { openStates } from '#actors/account/bill/bills.ts'
import { uploadStates } from '#actors/billing/upload-entity.ts'
import { ruleFaults } from '#actors/recommendation/audit/rule-fault.ts'
import type { Tools } from '#actors/tools.ts'
import { provisioningPhases } from '#streams/catalog.ts'
import { liveStatuses } from '#streams/workflow.ts'

/** Serves `/metrics` for Prometheus on its own port; port 0 selects a free one. */
export async function serveMetrics(
  registry: Registry,
  host: string,
  port: number,
): Promise<{ url: string; close(): Promise<void> }> {
  const server = createServer((request, response) => {
    if (request.url?.split('?')[0] !== '/metrics') return void response.writeHead(404).end()
    void registry.metrics().then((text) => response.writeHead(200, { 'Content-Type': registry.contentType }).end(text))
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => reject(new Error(`cannot serve metrics on ${host}, port ${port}`, { cause })))
    server.listen(port, host, resolve)
  })
  const name = host.includes(':') ? `[${host}]` : host
  const url = `http://${name}:${(server.address() as AddressInfo).port}/metrics`
  const close = async () => {
    server.closeAllConnections()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  return { url, close }
}

const openSql = `
  select e ->> 'state' as state, count(*)::int as n
  from cloud_account a, jsonb_array_elements(a.bills -> 'open') e where a.bills -> 'open' <> '[]' group by 1`
const uploadsSql = `select state, count(*)::int as n from bill_upload where expires_at > $1 group by 1`
const ignoredSql = `select coalesce(sum((bills ->> 'ignored')::bigint), 0)::float8 as n from cloud_account`

/** States of bill exports of all accounts, read from PostgreSQL at each scrape. */
export function measureBills(registry: Registry, pool: pg.Pool): void {
  new Gauge({
    name: 'tidemark_bill_exports',
    help: 'Bill exports that are complete but have not replaced a bill yet, by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { rows } = await pool.query<{ state: string; n: number }>(openSql).catch(() => ({ rows: [] }))
      for (const state of openStates) this.set({ state }, rows.find((row) => row.state === state)?.n ?? 0)
    },
  })
  new Gauge({
    name: 'tidemark_bill_lines_ignored',
    help: 'Bill lines ignored because a newer export had replaced theirs',
    registers: [registry],
    async collect() {
      const { rows } = await pool.query<{ n: number }>(ignoredSql).catch(() => ({ rows: [] }))
      if (rows[0]) this.set(rows[0].n)
    },
  })
}

/** Number of additional lane processes that this process runs. */
export function measureLaneProcesses(registry: Registry, beside: { count(): number }): void {
  new Gauge({
    name: 'tidemark_lane_processes',
    help: 'Additional lane processes of this process that are running',
    registers: [registry],
    collect() {
      this.set(beside.count())
    },
  })
}

/** States of bill uploads of all organizations. */
export function measureUploads(registry: Registry, pool: pg.Pool, now: () => Date): void {
  new Gauge({
    name: 'tidemark_bill_uploads',
    help: 'Bill uploads of the last 30 days, by state',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { rows } = await pool
        .query<{ state: string; n: number }>(uploadsSql, [now()])
        .catch(() => ({ rows: [] as { state: string; n: number }[] }))
      for (const state of uploadStates) this.set({ state }, rows.find((row) => row.state === state)?.n ?? 0)
    },
  })
}

const exportsSql = `
  select coalesce(sum(bytes), 0)::float8 as bytes, count(*) filter (where status = 'writing')::int as writing
  from export_file where expires_at > $1 and status <> 'removed'`

/** Size of the exported files, and number of exports in progress. */
export function measureExports(registry: Registry, pool: pg.Pool, now: () => Date): void {
  const read = () =>
    pool
      .query<{ bytes: number; writing: number }>(exportsSql, [now()])
      .then(({ rows }) => rows[0])
      .catch(() => undefined)
  new Gauge({
    name: 'tidemark_export_bytes',
    help: 'Size of all exported files, including files being written, in bytes',
    registers: [registry],
    async collect() {
      this.set((await read())?.bytes ?? 0)
    },
  })
  new Gauge({
    name: 'tidemark_exports_writing',
    help: 'Exported files being written',
    registers: [registry],
    async collect() {
      this.set((await read())?.writing ?? 0)
    },
  })
}

/** Counts the runs of scheduled exports. */
export function measureScheduledExports(registry: Registry): Tools['exported'] {
  const runs = new Counter({
    name: 'tidemark_export_runs_total',
    help: 'Runs of scheduled exports that ended in this process, by outcome',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return (outcome) => runs.inc({ outcome })
}

/** Counts exceptions in rules. Each is a defect; the rule's recommendations stay unchanged. */
export function measureRules(registry: Registry): void {
  new Counter({
    name: 'tidemark_audit_rule_faults_total',
    help: 'Errors thrown by rules for a resource in this process',
    labelNames: ['rule'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [rule, times] of ruleFaults) this.inc({ rule }, times)
    },
  })
}

const defectsSql = `
  select code, count(*)::int as n from (
    select defect ->> 'code' as code from provisioning_job, jsonb_array_elements(defects) as defect where defects <> '[]'
    union all
    select coalesce(error ->> 'code', 'unexplained') from provisioned_database where error ->> 'bucket' = 'system'
  ) as fault group by 1`
const jobsSql = `select phase, count(*)::int as n from provisioning_job where phase <> 'deleted' group by 1`

/**
 * Provisioning jobs of all organizations, in progress and failed because of our own faults; read from PostgreSQL at
 * each scrape.
 */
export function measureProvisioning(registry: Registry, pool: pg.Pool): void {
  new Gauge({
    name: 'tidemark_provision_unsupported',
    help: 'Provisioning job steps and database calls that failed because of a service or connector error, by code',
    labelNames: ['code'],
    registers: [registry],
    async collect() {
      const found = await pool.query<{ code: string; n: number }>(defectsSql).catch(() => undefined)
      if (!found) return
      this.reset()
      for (const { code, n } of found.rows) this.set({ code }, n)
    },
  })
  new Gauge({
    name: 'tidemark_provisioning_jobs',
    help: 'Provisioning jobs, except deleted ones, by phase',
    labelNames: ['phase'],
    registers: [registry],
    async collect() {
      const found = await pool.query<{ phase: string; n: number }>(jobsSql).catch(() => undefined)
      // If the value is unknown, keep the previous one: 0 would mean that there are none.
      if (!found) return
      for (const phase of provisioningPhases)
        if (phase !== 'deleted') this.set({ phase }, found.rows.find((row) => row.phase === phase)?.n ?? 0)
    },
  })
}

const waitingSql = `select hold, count(*)::int as n from delivery group by 1`
const brokenSql = `select count(*)::int as n from channel_health where broken_since is not null`
const holds = ['', 'quiet', 'digest', 'circuit', 'probe']

/** Notifications of all organizations that wait for delivery; read from PostgreSQL at each scrape. */
export function measureDeliveries(registry: Registry, pool: pg.Pool): void {
  new Gauge({
    name: 'tidemark_deliveries_waiting',
    help: 'Pending notification deliveries, by hold reason; empty means waiting for the next attempt',
    labelNames: ['hold'],
    registers: [registry],
    async collect() {
      const { rows } = await pool.query<{ hold: string; n: number }>(waitingSql).catch(() => ({ rows: [] }))
      for (const hold of holds) this.set({ hold }, rows.find((row) => row.hold === hold)?.n ?? 0)
    },
  })
  new Gauge({
    name: 'tidemark_channels_broken',
    help: 'Notification channels, including personal email, that are failing and only tried every ten minutes',
    registers: [registry],
    async collect() {
      const { rows } = await pool.query<{ n: number }>(brokenSql).catch(() => ({ rows: [] }))
      if (rows[0]) this.set(rows[0].n)
    },
  })
}

const reportsSql = `
  select count(*) filter (where is_on)::int as live, count(*) filter (where last ->> 'reason' <> '')::int as unsent,
    count(*) filter (where last @> '{"mails": [{"state": "failed"}]}')::int as failed,
    coalesce(max(extract(epoch from $1::timestamptz - next_due_at)) filter (where is_on), 0)::float8 as late
  from report_schedule`

/** Mailed saved views of all organizations; read from PostgreSQL at each scrape. */
export function measureReports(registry: Registry, pool: pg.Pool, now: () => Date): void {
  type Row = { live: number; unsent: number; failed: number; late: number }
  const read = async () => (await pool.query<Row>(reportsSql, [now()]).catch(() => ({ rows: [] as Row[] }))).rows[0]
  new Gauge({
    name: 'tidemark_report_schedules',
    help: 'Scheduled reports: live ones, those that sent nothing on the last run, and those with an undelivered email',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const row = await read()
      if (row) for (const state of ['live', 'unsent', 'failed'] as const) this.set({ state }, row[state])
    },
  })
  new Gauge({
    name: 'tidemark_report_late_seconds',
    help: 'How long the most overdue scheduled report has been due, in seconds',
    registers: [registry],
    async collect() {
      const row = await read()
      if (row) this.set(Math.max(0, row.late))
    },
  })
}

/** Counts delivery tries, and measures the time from an event to its accepted delivery. */
export function measureTries(registry: Registry): Tools['tried'] {
  const tries = new Counter({
    name: 'tidemark_delivery_tries_total',
    help: 'Notification delivery attempts, by outcome',
    labelNames: ['channel', 'outcome'],
    registers: [registry],
  })
  const seconds = new Histogram({
    name: 'tidemark_delivery_seconds',
    help: 'Time from an event to its accepted delivery, including delays configured on the channel',
    labelNames: ['channel'],
    buckets: [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 3600, 43_200],
    registers: [registry],
  })
  return ({ channel, outcome, sinceMs }) => {
    tries.inc({ channel, outcome })
    if (outcome === 'delivered') seconds.observe({ channel }, Math.max(0, sinceMs) / 1000)
  }
}

const workflowsSql = `
  select status, count(*)::int as n, extract(epoch from now() - min(updated_at))::float8 as age
  from workflow_job where completed_at is null group by 1`

/** Workflows in progress in all organizations; read from PostgreSQL at each scrape. */
export function measureWorkflows(registry: Registry, pool: pg.Pool): void {
  type Row = { status: string; n: number; age: number }
  const read = () => pool.query<Row>(workflowsSql).catch(() => ({ rows: [] as Row[] }))
  new Gauge({
    name: 'tidemark_workflows',
    help: 'Workflows that have not finished, by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const { rows } = await read()
      for (const status of liveStatuses) this.set({ status }, rows.find((row) => row.status === status)?.n ?? 0)
    },
  })
  new Gauge({
    name: 'tidemark_workflow_oldest_seconds',
    help: 'Time since the last change of the longest-waiting workflow, by status',
    labelNames: ['status'],
    registers: [registry],
    async collect() {
      const { rows } = await read()
      for (const status of liveStatuses) this.set({ status }, rows.find((row) => row.status === status)?.age ?? 0)
    },
  })
}
