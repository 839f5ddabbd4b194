import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type pg from 'pg'
import { Gauge, type Registry } from 'prom-client'
import { openStates } from '#actors/account/bills.ts'

/** Serves `/metrics` for Prometheus on a port of its own; port 0 takes any free one. */
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
    server.once('error', (cause) => reject(new Error(`cannot serve metrics on ${host} port ${port}`, { cause })))
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
const ignoredSql = `select coalesce(sum((bills ->> 'ignored')::bigint), 0)::float8 as n from cloud_account`

/** What stands of exports of bills, of all accounts: read from the state store whenever it is asked for. */
export function measureBills(registry: Registry, pool: pg.Pool): void {
  new Gauge({
    name: 'tidemark_bill_exports',
    help: 'Exports of bills whose end was told and that replace nothing yet',
    labelNames: ['state'],
    registers: [registry],
    async collect() {
      const { rows } = await pool.query<{ state: string; n: number }>(openSql).catch(() => ({ rows: [] }))
      for (const state of openStates) this.set({ state }, rows.find((row) => row.state === state)?.n ?? 0)
    },
  })
  new Gauge({
    name: 'tidemark_bill_lines_ignored',
    help: 'Lines that came of exports of bills which newer ones had replaced',
    registers: [registry],
    async collect() {
      const { rows } = await pool.query<{ n: number }>(ignoredSql).catch(() => ({ rows: [] }))
      if (rows[0]) this.set(rows[0].n)
    },
  })
}
