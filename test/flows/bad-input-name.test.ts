import { expect } from 'chai'
import { parseJson } from '#engine/json.ts'
import { billingLine } from '#streams/billing.ts'
import { resourceDiscovered } from '#streams/resource.ts'
import { tenant } from '#test/harness/product.ts'
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
    for (const [index, [name, similar]] of sample(names).entries()) {
      const first = `first ${index}`
      const resource = (uid: string, tag: string) => ({
        ...at,
        resourceUid: uid,
        name: uid,
        type: 'aws-ec2',
        tags: { [first]: '1', [tag]: '2' },
        specs: { [first]: 1, [tag]: 2 },
      })
      const line = (id: string, tag: string) => ({
        ...at,
        lineId: `${day}/${id}`,
        usageDate: day,
        costUSD: 1,
        serviceName: 'ec2',
        Tags: JSON.stringify({ [first]: '1', [tag]: '2' }),
      })
      await other.publish(resourceDiscovered, [resource(`${index}`, similar)])
      await other.publish(billingLine, [line(`${index}`, similar)])
      expect((await other.get('/resources?limit=100')).status).to.equal(200)
      await one.publish(resourceDiscovered, [resource(`${index}`, name)])
      await one.publish(billingLine, [line(`${index}`, name)])
      const [shown] = (await one.get(`/resources/by-uids?uids=${index}`)).body.data
      expect(shown.tags, name).to.deep.equal({ [first]: '1', [name]: '2' })
      const sql = 'SELECT Tags AS tags FROM cost_fact FINAL WHERE x_OrgId = {org:String} AND x_LineId = {line:String}'
      const [billed] = await one.facts(sql, { line: `${day}/${index}` })
      expect(billed.tags, name).to.deep.equal({ [first]: '1', [name]: '2' })
    }
  })
})
