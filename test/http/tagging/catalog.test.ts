import { expect } from 'chai'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

const spec = {
  selector: { all: [{ attr: 'res.provider', op: 'in', values: ['aws'] }] },
  tag: { key: 'location', value: { fields: ['res.provider', 'res.region'], join: '-', standardize: true } },
}
const body = (fields: object = {}) => ({
  domain: 'tagging',
  targetType: 'organisation',
  name: 'Location',
  spec,
  enabled: true,
  ...fields,
})
const tagged = (tag: object) => ({ ...spec, tag: { ...spec.tag, ...tag } })
const valued = (value: object) => tagged({ value: { ...spec.tag.value, ...value } })

/** Status, code and what is named. */
const told = ({ status, body: said }: Answer) => [
  status,
  said?.code,
  ...(said?.errors ?? []).map((e: any) => `${e.name} ${e.code}`),
]

describe('tagging policies', () => {
  let org: Tenant
  before(async () => void (org = await tenant()))
  const validate = async (given: unknown) =>
    (await org.send('POST', '/tagging/policies/validations', given)).body.data as { valid: boolean; errors: any[] }

  it('are checked by their spec, whatever is given, and never refused [TPOL-03] [TPOL-09]', async () => {
    expect(await validate(spec)).to.deep.equal({ valid: true, errors: [] })
    expect(await validate({ tag: spec.tag })).to.deep.equal({ valid: true, errors: [] })
    for (const [given, ...expected] of [
      [valued({ fields: ['res.tags'] }), '/tag/value/fields/0 enum'],
      [{ ...spec, name: 'x' }, '/name additionalProperties'],
      [body(), '/spec additionalProperties'],
      [{}, '/tag required'],
      ['res.type', ' type'],
      [[spec], '/tag required', ' type'],
      [null, ' type'],
      [5, ' type'],
      [true, ' type'],
    ] as const) {
      const answer = await org.send('POST', '/tagging/policies/validations', given)
      expect([answer.status, answer.body.data.valid], JSON.stringify(given)).to.deep.equal([200, false])
      const { errors } = answer.body.data
      expect(errors.map((one: any) => `${one.path} ${one.code}`)).to.deep.equal(expected)
      expect(errors.every((one: any) => Object.keys(one).join() === 'path,code,message')).to.equal(true)
    }
    expect(told(await org.send('POST', '/tagging/policies/validations'))).to.deep.equal([
      400,
      'validation_failed',
      ' required',
    ])
  })

  it('are made of what the catalogue lists [TPOL-02] [TPOL-06]', async () => {
    const own = await tenant()
    const empty = (await own.get('/tagging/policies/catalog')).body.data
    const all = ['in', 'not_in', 'equals', 'not_equals', 'contains', 'starts_with', 'ends_with', 'exists', 'not_exists']
    expect(Object.keys(empty)).to.deep.equal(['facets', 'operators', 'fields'])
    expect(empty.operators).to.deep.equal(all)
    const named = ['provider', 'type', 'region', 'name', 'instance_type', 'resource_group', 'cloud_account_id']
    expect(empty.facets.map((one: any) => [one.attr, one.name, one.type, one.operators])).to.deep.equal(
      [...named, 'tags.<key>'].map((name) => [`res.${name}`, name, 'string', all]),
    )
    expect(empty.facets[0].values).to.deep.equal(['aws', 'gcp', 'azure'])
    expect(empty.fields.map((one: any) => [one.field, one.providers.length])).to.deep.equal([
      ['res.type', 3],
      ['res.region', 3],
      ['res.provider', 3],
      ['res.instance_type', 3],
      ['res.name', 3],
      ['res.resource_group', 1],
    ])
    for (const { attr } of empty.facets) {
      const condition = { attr: attr.replace('<key>', 'owner'), op: 'in', values: ['x'] }
      expect(await validate({ ...spec, selector: { all: [condition] } }), attr).to.deep.equal({
        valid: true,
        errors: [],
      })
    }
  })
})
