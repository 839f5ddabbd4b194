/** An agent at the whole product, by a client of the Model Context Protocol that was not written here. */
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { expect } from 'chai'
import { addDays } from '#engine/value/day.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

const today = new Date().toISOString().slice(0, 10)
const line = (day: string, resourceUid: string, serviceName: string, costUSD: number) => ({
  lineId: `${day}/${resourceUid}`,
  provider: 'aws' as const,
  cloudAccountId: 'acct-1',
  region: 'us-east-1',
  resourceUid,
  serviceName,
  usageDate: day,
  costUSD,
})

/** What it fails with. */
const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'not refused',
    (error: Error) => error.message,
  )

describe('an agent', () => {
  let org: Tenant
  let agent: Client
  const opened: Client[] = []
  const agentWith = async (token: string, url = org.url) => {
    const client = new Client({ name: 'somebody', version: '1' })
    const requestInit = { headers: { Authorization: `Bearer ${token}` } }
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`), { requestInit }))
    opened.push(client)
    return client
  }
  const call = async (name: string, given: Record<string, unknown>, by = agent) => {
    const { content, isError = false } = (await by.callTool({ name, arguments: given })) as any
    return { isError, said: JSON.parse(content[0].text) }
  }

  before(async () => {
    org = await tenant()
    const days = Array.from({ length: 20 }, (_, n) => addDays(today, n - 22))
    await org.publish(resourceDiscovered, [
      {
        resourceUid: 'i-1',
        name: 'web',
        type: 'aws-ec2',
        provider: 'aws',
        cloudAccountId: 'acct-1',
        region: 'us-east-1',
      },
    ])
    await org.publish(
      billingLine,
      days.flatMap((day, n) => [line(day, 'i-1', 'ec2', n < 10 ? 10 : 35), line(day, 'db-1', 'rds', 5)]),
    )
    agent = await agentWith(org.token)
  })
  after(() => Promise.all(opened.map((one) => one.close())))

  it('is told who answers, what to begin with, and every tool with its arguments', async () => {
    expect(agent.getServerVersion()).to.include({ name: 'tidemark' })
    expect(agent.getInstructions()).to.contain('get_cost_drivers')
    const { tools } = await agent.listTools()
    const drivers = tools.find(({ name }) => name === 'get_cost_drivers')!
    expect(drivers.annotations).to.deep.equal({
      readOnlyHint: true,
      destructiveHint: false,
      idempotentHint: true,
      openWorldHint: false,
    })
    expect(drivers.inputSchema.properties).to.have.property('from')
    expect(tools.length).to.be.greaterThan(24)
  })

  it('is told of each tool that changes something whether it takes something away, and whether it may be called again', async () => {
    const { tools } = await agent.listTools()
    const changing = tools.filter(({ annotations }) => !annotations!.readOnlyHint)
    const told = changing.map(({ name, annotations }) => [
      name,
      annotations!.destructiveHint,
      annotations!.idempotentHint,
      annotations!.openWorldHint,
    ])
    expect(told).to.deep.equal([
      ['start_or_stop_resource', true, true, false],
      ['create_schedule', false, false, false],
      ['create_override', true, false, false],
      ['end_override', true, true, false],
    ])
  })

  it('finds the largest rise and what it is of', async () => {
    const [from, to] = [addDays(today, -12), addDays(today, -3)]
    const { isError, said } = await call('get_cost_drivers', { from, to })
    expect(isError, JSON.stringify(said)).to.equal(false)
    const asked = await org.get(`/reports/drivers?from=${from}&to=${to}`)
    expect(said.data).to.deep.equal(asked.body.data)
    // Ten days of 35 after ten days of 10.
    const { rises } = said.data.dimensions.find(({ dimension }: any) => dimension === 'service_name')
    expect(rises.map(({ key, previousUSD, costUSD }: any) => [key, previousUSD, costUSD])).to.deep.equal([
      ['ec2', 100, 350],
    ])
  })

  it('does what changes something once it is confirmed, and says before that what it would do', async () => {
    const rules = [{ action: 'stop', cron: '0 20 * * *' }]
    const schedule = { name: 'Night', timezone: 'UTC', rules, resourceUIDs: ['i-1'] }
    const first = await call('create_schedule', schedule)
    expect([first.isError, first.said.code, first.said.wouldAsk]).to.deep.equal([
      true,
      'confirmation_required',
      { method: 'POST', url: '/schedules', body: schedule },
    ])
    expect((await call('list_schedules', {})).said.data.items ?? []).to.deep.equal([])
    const second = await call('create_schedule', { ...schedule, confirm: true })
    expect([second.isError, second.said.data.name]).to.deep.equal([false, 'Night'])
    const third = await call('create_schedule', { ...schedule, name: 'No', confirm: 'yes' })
    expect([third.isError, third.said.code]).to.deep.equal([true, 'confirmation_required'])
  })

  it('asks nobody to agree to what cannot be: arguments and rights are looked at before', async () => {
    const rules = [{ action: 'stop', cron: '0 20 * * *' }]
    const schedule = { name: 'Never', timezone: 'UTC', rules, resourceUIDs: ['i-1'] }
    const stray = await call('create_schedule', { ...schedule, bogus: 1 })
    expect([stray.isError, stray.said.status, stray.said.errors[0].name]).to.deep.equal([true, 400, '/bogus'])
    const { rules: _, ...lacking } = schedule
    const short = await call('create_schedule', lacking)
    expect([short.isError, short.said.status, short.said.errors[0].name]).to.deep.equal([true, 400, '/rules'])
    const viewer = await agentWith(await org.tokenFor('viewer'))
    const denied = await call('create_schedule', schedule, viewer)
    expect([denied.isError, denied.said.status, denied.said.code]).to.deep.equal([true, 403, 'forbidden'])
    expect((await org.get('/schedules?search=Never')).body.data.total).to.equal(0)
  })

  it('is told in a sentence what is no call', async () => {
    for (const [params, said] of [
      [undefined, 'params.name must be the name of a tool.'],
      [{}, 'params.name must be the name of a tool.'],
      [{ name: 'list_teams', arguments: [] }, 'params.arguments must be an object.'],
      [{ name: 'list_teams', arguments: 'x' }, 'params.arguments must be an object.'],
    ] as const) {
      const { status, body } = await org.send('POST', '/mcp', { jsonrpc: '2.0', id: 7, method: 'tools/call', params })
      expect([status, body]).to.deep.equal([200, { jsonrpc: '2.0', id: 7, error: { code: -32602, message: said } }])
    }
  })

  it('is refused as the API refuses: arguments nobody knows, none where one is needed, and what is not there', async () => {
    const unknown = await call('get_cost_drivers', { form: '2026-01-01' })
    expect([unknown.isError, unknown.said.status, unknown.said.errors[0].name]).to.deep.equal([true, 400, 'form'])
    expect(unknown.said.errors.map(({ message }: any) => message).join()).to.contain('from')
    const missing = await call('get_anomaly', {})
    expect([missing.isError, missing.said.errors]).to.deep.equal([
      true,
      [{ in: 'path', name: 'anomalyID', code: 'required', message: 'is required' }],
    ])
    for (const resourceID of ['.', '..']) {
      const elsewhere = await call('get_resource_context', { resourceID })
      expect([elsewhere.isError, elsewhere.said.errors[0].code]).to.deep.equal([true, 'format'])
    }
    const nothing = await call('get_resource', { resourceID: '../teams' })
    expect([nothing.isError, nothing.said.status]).to.deep.equal([true, 404])
    const said = await refusal(agent.callTool({ name: 'drop_everything', arguments: {} }))
    expect(said).to.contain('Unknown tool: drop_everything')
  })

  it('may do what its token may: a viewer makes no schedule, and who has no token hears nothing', async () => {
    const viewer = await agentWith(await org.tokenFor('viewer'))
    expect((await call('list_resources', {}, viewer)).said.data.map(({ uid }: any) => uid)).to.deep.equal(['i-1'])
    const rules = [{ action: 'stop', cron: '0 20 * * *' }]
    const refused = await call(
      'create_schedule',
      { name: 'V', timezone: 'UTC', rules, resourceUIDs: ['i-1'], confirm: true },
      viewer,
    )
    expect([refused.isError, refused.said.status, refused.said.code]).to.deep.equal([true, 403, 'forbidden'])
    expect(await refusal(agentWith('svc_pat_nobody'))).to.match(/401|Unauthorized/)
  })

  it('sees nothing of another organization', async () => {
    const other = await tenant()
    const theirs = await agentWith(other.token, other.url)
    expect((await call('list_resources', {}, theirs)).said.data).to.deep.equal([])
    const { said } = await call('list_resources', {})
    const seen = await call('get_resource', { resourceID: said.data[0].id }, theirs)
    expect([seen.isError, seen.said.status]).to.deep.equal([true, 404])
  })

  it('is answered by messages that are none, with what is wrong', async () => {
    const ask = async (body: string, accept = 'application/json, text/event-stream') => {
      const headers = { Authorization: `Bearer ${org.token}`, 'Content-Type': 'application/json', Accept: accept }
      const response = await fetch(`${org.url}/mcp`, { method: 'POST', headers, body })
      return [response.status, await response.json()] as const
    }
    const [status, problem] = await ask('{"jsonrpc":"1.0","method":"tools/list"}')
    expect([status, problem.errors[0].name]).to.deep.equal([400, '/jsonrpc'])
    expect((await ask('[')).map((one: any) => one.code ?? one)).to.deep.equal([400, 'malformed_json'])
    const [, unknown] = await ask('{"jsonrpc":"2.0","id":7,"method":"tools/drop"}')
    expect([unknown.id, unknown.error.code]).to.deep.equal([7, -32601])
    const [unaccepted] = await ask('{"jsonrpc":"2.0","id":1,"method":"tools/list"}', 'text/html')
    expect(unaccepted).to.equal(406)
    expect((await fetch(`${org.url}/mcp`, { headers: { Authorization: `Bearer ${org.token}` } })).status).to.equal(405)
  })
})
