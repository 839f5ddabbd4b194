import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { expect } from 'chai'
import { parse } from 'csv-parse/sync'
import { routes, site } from '#http/index.ts'
import { describeReal } from '#test/real/data.ts'

interface Row {
  method: string
  path: string
  auth: string
  'response shape': string
}

/** Names of parameters are the product's own affair. */
const shapeOf = (url: string): string => url.replaceAll(/\{\w+\}|:\w+/g, '{}')

/** Who may ask, by what the product asks for. */
const callers = new Map([
  ['public', 'none'],
  ['internal', 'internal'],
])
const callerOf = (permission: string): string => callers.get(permission) ?? 'bearer'

/** A signed address is its own permission; hooks of tests are open where they are there at all. */
const needsNobody = ({ auth, path: url }: Row) => auth === 'signed URL' || /^\/internal\/(clock|jobs\/|sim\/)/.test(url)

describeReal('areas that the specification names only', (folder) => {
  const file = path.join(folder, '../spec/endpoints-supporting.csv')

  if (!existsSync(file)) {
    it.skip('needs the specification beside the recorded data')
    return
  }

  it('are reached on the routes that were decided, by whom and with the status that were decided [GEN-19]', () => {
    // Metrics have a port of their own.
    const rows = (parse(readFileSync(file), { columns: true }) as Row[]).filter((row) => row.path !== '/metrics')
    const served = site(routes, { version: '1', ready: async () => ({}) as never, hooks: true })
    const found = new Map(served.map((one) => [`${one.method} ${shapeOf(one.path)}`, one]))
    const told = rows.map((row) => {
      const route = found.get(`${row.method} ${shapeOf(row.path)}`)
      return [row.method, row.path, route ? String(route.status ?? 200) : 'none', route && callerOf(route.permission)]
    })
    const wanted = rows.map((row) => {
      const status = /^\d{3}/.exec(row['response shape'])?.[0] ?? '200'
      return [row.method, row.path, status, needsNobody(row) ? 'none' : row.auth]
    })
    expect(rows).to.have.length.greaterThan(50)
    expect(told).to.deep.equal(wanted)
  })
})
