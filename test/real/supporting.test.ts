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

describeReal('areas that the specification names only', (folder) => {
  const file = path.join(folder, '../spec/endpoints-supporting.csv')

  it('answer each on the routes that were decided, with the status that was decided [GEN-19]', function () {
    if (!existsSync(file)) this.skip()
    // Metrics have a port of their own.
    const rows = (parse(readFileSync(file), { columns: true }) as Row[]).filter((row) => row.path !== '/metrics')
    const served = site(routes, { version: '1', ready: async () => ({}) as never, hooks: true })
    const found = new Map(served.map((one) => [`${one.method} ${shapeOf(one.path)}`, one]))
    const told = rows.map((row) => {
      const route = found.get(`${row.method} ${shapeOf(row.path)}`)
      return [row.method, row.path, route ? String(route.status ?? 200) : 'none']
    })
    const wanted = rows.map((row) => [row.method, row.path, /^\d{3}/.exec(row['response shape'])?.[0] ?? '200'])
    expect(rows).to.have.length.greaterThan(50)
    expect(told).to.deep.equal(wanted)
  })
})
