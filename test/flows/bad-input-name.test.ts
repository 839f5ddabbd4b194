// tier: deep
import { expect } from 'chai'
import { parseJson } from '#engine/value/json.ts'
import { billingLine } from '#streams/billing/messages.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'
import { sample } from '#test/harness/tier.ts'

const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1' }
const day = new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)

/** Names as JSON can only write them with an escape, each beside one that begins as it is written. */
const names: [string, string][] = [
  ['x"y', 'x\\"'],
  ['line\nbreak', 'line\\nbreak'.slice(0, 10)],
  ['tab\t', 'tab\\'],
  ['\u0001', '\\'],
]

describe('names that are written with an escape', () => {
  it('are refused by what they are, whatever names stood in their place before [LIM-05]', async () => {
    const org = await tenant()
    const told = async (name: string) => {
      const response = await fetch(`${org.url}/resources/by-uids`, {
        method: 'POST',
        headers: { Authorization: `Bearer ${org.token}`, 'Content-Type': 'application/json' },
        body: `{"uids":[],"${name}":1}`,
      })
      const { errors } = parseJson(await response.text()) as { errors: { name: string; code: string }[] }
      return [response.status, ...errors.map((e) => `${e.name} ${e.code}`)]
    }
    for (let i = 0; i < 3; i++) expect(await told('\\\\')).to.deep.equal([400, '/\\ additionalProperties'])
    expect(await told('\\u0000')).to.deep.equal([400, ' text'])
    expect(await told('\\n')).to.deep.equal([400, '/\n additionalProperties'])
    for (let i = 0; i < 3; i++) expect(await told('caf\\\\')).to.deep.equal([400, '/caf\\ additionalProperties'])
    expect(await told('caf\\u00e9')).to.deep.equal([400, '/caf\u00e9 additionalProperties'])
  })

  it('are kept in tags and specs as they came, whatever another organization calls its own [GEN-10] [STREAM-04]', async () => {
    const [one, other] = [await tenant(), await tenant()]
    const some = sample(names).entries().toArray()
    const resource = (index: number, tag: string) => ({
      ...at,
      resourceUid: `${index}`,
      name: `${index}`,
      type: 'aws-ec2',
      tags: { [`first ${index}`]: '1', [tag]: '2' },
      specs: { [`first ${index}`]: 1, [tag]: 2 },
    })
    const line = (index: number, tag: string) => ({
      ...at,
      lineId: `${day}/${index}`,
      usageDate: day,
      costUSD: 1,
      serviceName: 'ec2',
      Tags: JSON.stringify({ [`first ${index}`]: '1', [tag]: '2' }),
    })
    const published = async (org: Tenant, tags: readonly [index: number, tag: string][]) => {
      await org.publish(
        resourceDiscovered,
        tags.map(([index, tag]) => resource(index, tag)),
      )
      await org.publish(
        billingLine,
        tags.map(([index, tag]) => line(index, tag)),
      )
    }
    await published(
      other,
      some.map(([index, [, similar]]) => [index, similar]),
    )
    expect((await other.get('/resources?limit=100')).status).to.equal(200)
    await published(
      one,
      some.map(([index, [name]]) => [index, name]),
    )
    for (const [index, [name]] of some) {
      const tags = { [`first ${index}`]: '1', [name]: '2' }
      const [shown] = (await one.get(`/resources/by-uids?uids=${index}`)).body.data
      expect(shown.tags, name).to.deep.equal(tags)
      const sql = 'SELECT Tags AS tags FROM cost_fact FINAL WHERE x_OrgId = {org:String} AND x_LineId = {line:String}'
      const [billed] = await one.facts(sql, { line: `${day}/${index}` })
      expect(billed.tags, name).to.deep.equal(tags)
    }
  })
})
