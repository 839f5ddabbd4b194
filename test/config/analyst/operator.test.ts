/** The port of analysts before a ClickHouse of the operator's, which a small server stands in for. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect } from 'chai'
import { openAnalysts } from '#config/analyst/open-analysts.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { Meter } from '#engine/meter.ts'
import { askAt, basic } from '#test/harness/door.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { testFolder } from '#test/harness/stores.ts'

describe('analysts of a ClickHouse of the operator', () => {
  let org: Tenant
  let server: http.Server
  let address: string
  /** What it was asked, and what it says of the tables. */
  const heard: { url: string; headers: http.IncomingHttpHeaders; body: string }[] = []
  let ofTables = 497

  before(async () => {
    org = await tenant()
    server = http.createServer((req, res) => {
      let body = ''
      req.on('data', (chunk: Buffer) => (body += chunk.toString()))
      req.on('end', () => {
        heard.push({ url: req.url!, headers: req.headers, body })
        const isOfTables = body.includes('tidemark.cost_fact')
        if (isOfTables && ofTables !== 0)
          return res
            .writeHead(500, { 'X-ClickHouse-Exception-Code': ofTables })
            .end(`Code: ${ofTables}. DB::Exception: tidemark_analyst: no. (ACCESS_DENIED)\n`)
        return res.end('42\n')
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://tidemark_analyst:pa%20ss@127.0.0.1:${(server.address() as AddressInfo).port}`
  })
  after(() => void server.close())

  const open = (clickhouseAnalystsUrl: string | undefined, dataDir = testFolder()) => {
    const settings = { ...org.connections.settings, clickhouseAnalystsUrl, dataDir }
    const meter = new Meter()
    const get: typeof org.product.get = (what) =>
      (what.key === tokens.meter.key ? meter : org.product.get(what)) as never
    const product = { ...org.product, get }
    // The views are made in the test's own ClickHouse, in whose name a user stands in the address.
    const connections = { ...org.connections, settings }
    return openAnalysts({ connections, product }, 'http://default:x@127.0.0.1:1/tidemark')
  }
  const told = (given: string | undefined) =>
    open(given).then(
      () => 'opened',
      (error: Error) => error.message,
    )

  it('are not served without a user made for them, or by one who may read the tables', async () => {
    expect(await open(undefined)).to.equal(undefined)
    ofTables = 0
    expect(await told(address)).to.match(/^CLICKHOUSE_ANALYSTS_URL uses a user that can read all organizations/)
    ofTables = 516
    expect(await told(address)).to.match(
      /^CLICKHOUSE_ANALYSTS_URL cannot be used: .*printed by `tidemark analyst rights`\.$/,
    )
  })

  it('find their port again after a restart, and another one while that is taken', async () => {
    ofTables = 497
    const folder = testFolder()
    const first = (await open(address, folder))!
    const beside = (await open(address, folder))!
    expect(beside.url).to.not.equal(first.url)
    await first.close()
    await beside.close()
    const again = (await open(address, folder))!
    expect(again.url).to.equal(beside.url)
    await again.close()
  })

  it('ask as that user, in the database of their organization, and their token stays here', async () => {
    ofTables = 497
    const gate = (await open(address))!
    const token = await org.tokenFor('viewer', 'analyst')
    heard.length = 0
    const params = { param_a: '1', database: 'tidemark', readonly: '0', role: 'x', max_execution_time: '3', user: 'u' }
    const answer = await askAt(gate.url, { body: 'SELECT {a:UInt8} /* none */', params, headers: basic(token) })
    await gate.close()
    expect([answer.status, await answer.text()]).to.deep.equal([200, '42\n'])
    expect(heard).to.have.length(1)
    const [{ url, headers, body }] = heard as [(typeof heard)[number]]
    expect(body).to.equal(
      'SELECT * FROM (SELECT * FROM (SELECT {a:UInt8}) LIMIT 100001 BY tuple() LIMIT 100001) ORDER BY rowNumberInAllBlocks()',
    )
    expect(headers.authorization).to.equal(basic('pa ss', 'tidemark_analyst').authorization)
    expect(JSON.stringify(heard)).to.not.include(token)
    expect(Object.fromEntries(new URL(url, 'http://x').searchParams)).to.deep.equal({
      param_a: '1',
      database: `org_${org.orgId}`,
      readonly: '1',
      wait_end_of_query: '1',
      output_format_write_statistics: '0',
      output_format_arrow_low_cardinality_as_dictionary: '0',
      max_execution_time: '3',
      max_memory_usage: '268435456',
      max_bytes_before_external_group_by: '67108864',
      max_bytes_before_external_sort: '67108864',
      max_result_rows: '100000',
      max_result_bytes: '268435456',
      max_threads: '2',
      max_block_size: '1024',
      function_range_max_elements_in_block: '10000000',
    })
  })
})
