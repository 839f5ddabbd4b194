import { readFileSync } from 'node:fs'
import path from 'node:path'
import { Ajv } from 'ajv'
import { expect } from 'chai'
import { routes } from '#http/index.ts'
import { askOf, linkOf, shortenAnswer } from '#http/mcp/call.ts'
import { toolNames, toolsOf, type Tool } from '#http/mcp/tool.ts'
import { root } from '#config/process/root.ts'

const tools = toolsOf(routes)
const tool = (name: string) => tools.get(name)!

describe('tools of agents', () => {
  it('are routes that exist, each once', () => {
    expect([...tools.keys()]).to.deep.equal(Object.keys(toolNames))
    expect(new Set(Object.values(toolNames)).size).to.equal(Object.keys(toolNames).length)
  })

  it('are all in their guide, as their routes say what they do', () => {
    const guide = readFileSync(path.join(root, 'docs/agents.md'), 'utf8')
    const [, block] = /<!-- tools -->\n([^]*?)\n<!-- \/tools -->/.exec(guide)!
    const row = ({ name, route, isWrite }: Tool) =>
      `| \`${name}\` | ${route.summary}${isWrite ? ' (requires `confirm`)' : ''} |`
    expect(block!.split('\n').slice(2)).to.deep.equal([...tools.values()].map(row))
  })

  it('are marked as writes where their route changes something, and want to be confirmed then', () => {
    const writes = [...tools.values()].filter(({ isWrite }) => isWrite)
    expect(writes.map(({ name }) => name)).to.deep.equal([
      'start_or_stop_resource',
      'create_schedule',
      'create_override',
      'end_override',
    ])
    for (const { name, isWrite, route, inputSchema } of tools.values()) {
      expect('confirm' in inputSchema.properties, name).to.equal(isWrite)
      // What is asked by POST and changes nothing says so in its words.
      if (!isWrite && route.method !== 'GET')
        expect(`${route.summary} ${route.description}`).to.match(/would|nothing is (?:stored|changed)/)
    }
  })

  it('that take something away or only add are told apart in their guide', () => {
    const guide = readFileSync(path.join(root, 'docs/agents.md'), 'utf8')
    const named = (text: string) => Array.from(text.matchAll(/`(\w+_\w+)`/g), ([, name]) => name!)
    const [, away, adding] = /marked as destructive: ([^]*?)\. ([^.]*) only adds/.exec(guide)!
    const writes = [...tools.values()].filter(({ isWrite }) => isWrite)
    const those = (takesAway: boolean) =>
      writes.filter(({ change }) => change.takesAway === takesAway).map(({ name }) => name)
    expect([named(away!), named(adding!)]).to.deep.equal([those(true), those(false)])
  })

  it('have schemas that say what is taken, in words that every reader of JSON Schema knows', () => {
    const ajv = new Ajv({
      strict: true,
      strictTypes: false,
      strictTuples: false,
      strictRequired: false,
      validateFormats: false,
    })
    for (const { name, inputSchema, description } of tools.values()) {
      expect(() => ajv.compile(inputSchema), name).to.not.throw()
      expect(description.length, name).to.be.greaterThan(40)
      expect(
        inputSchema.required.every((one) => one in inputSchema.properties),
        name,
      ).to.equal(true)
    }
    const { properties, required } = tool('get_anomaly').inputSchema
    expect([Object.keys(properties), required]).to.deep.equal([['anomalyID'], ['anomalyID']])
  })

  it('ask what stands in their arguments: in the path, the query or the body', () => {
    expect(askOf(tool('get_anomaly'), { anomalyID: 'a/b c' })).to.deep.equal({
      method: 'GET',
      url: '/reports/anomalies/a%2Fb%20c',
    })
    expect(
      askOf(tool('get_cost_drivers'), {
        from: '2026-01-01',
        to: '2026-01-31',
        account: ['a,1', 'b'],
        tag: { 'tag.x': 'y' },
      }),
    ).to.deep.equal({
      method: 'GET',
      url: '/reports/drivers?from=2026-01-01&to=2026-01-31&account=a%2C1&account=b&tag%5Btag.x%5D=y',
    })
    expect(askOf(tool('start_or_stop_resource'), { resourceUID: 'i-1', action: 'stop', confirm: true })).to.deep.equal({
      method: 'POST',
      url: '/actions',
      body: '{"resourceUID":"i-1","action":"stop"}',
    })
  })

  it('name the view of the console with the same figures, if the product has an address', () => {
    const given = { from: '2026-10-01', to: '2026-10-31', 'filter[service]': 'ec2' }
    const site = 'https://costs.example.com'
    expect(linkOf(tool('get_cost_drivers'), given, site)).to.equal(
      'https://costs.example.com/console/costs?from=2026-10-01&to=2026-10-31',
    )
    expect(linkOf(tool('get_cost_drivers'), { to: '2026-10-31' }, site)).to.equal(
      'https://costs.example.com/console/costs?to=2026-10-31',
    )
    expect(linkOf(tool('get_anomaly'), { anomalyID: 'a&b' }, site)).to.equal(
      'https://costs.example.com/console/anomalies?anomaly=a%26b',
    )
    expect(linkOf(tool('get_commitments'), {}, site)).to.equal(
      'https://costs.example.com/console/savings?tab=commitments',
    )
    expect(linkOf(tool('get_action'), { actionID: 'x' }, site)).to.equal(undefined)
    expect(linkOf(tool('get_cost_drivers'), given, '')).to.equal(undefined)
  })

  it('answer with the beginning of lists that are too long for a conversation, and say so', () => {
    const items = Array.from({ length: 1000 }, (_, n) => ({ id: n, name: 'x'.repeat(400) }))
    const { shortened: said, data } = JSON.parse(shortenAnswer(JSON.stringify({ data: { items, total: 1000 } })))
    // 128 of about 420 characters each are below 60,000; 256 are not.
    expect([data.items.length, data.items[127].id, data.total]).to.deep.equal([128, 127, 1000])
    expect(said).to.match(/^Too long to return whole\. Lists here: items 128 of 1000\./)
    const short = JSON.stringify({ data: { items: items.slice(0, 100) } })
    expect(shortenAnswer(short)).to.equal(short)
  })
})
