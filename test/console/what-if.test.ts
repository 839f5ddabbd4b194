import { expect } from 'chai'
import { changeOf, draftOf, objectOf, type Field } from '#http/console/web/view/what-if/draft.ts'
import { guardrailFields, taggingFields } from '#http/console/web/view/what-if/kinds.ts'

const fields: readonly Field[] = [
  { path: 'params/cpu', title: '', as: 'number' },
  { path: 'params/mode', title: '', as: 'text' },
  { path: 'selector', title: '', as: 'json' },
]

describe('questions of what if as forms hold them', () => {
  it('send what was typed, and leave out what is empty', () => {
    expect(objectOf(fields, { 'params/cpu': ' 8.5 ', 'params/mode': '', selector: '' })).to.deep.equal({
      params: { cpu: 8.5 },
    })
    expect(objectOf(fields, {})).to.deep.equal({})
  })

  it('send what is no number as it was typed, for the API to refuse', () => {
    expect(objectOf(fields, { 'params/cpu': 'eight' })).to.deep.equal({ params: { cpu: 'eight' } })
    expect(() => objectOf(fields, { selector: '{' })).to.throw(SyntaxError)
  })

  it('come back as they were', () => {
    const specs: [readonly Field[], Record<string, unknown>][] = [
      [
        guardrailFields,
        {
          spec: {
            killSwitch: true,
            destructivePerHour: 5,
            protectedEnvs: ['prod', 'staging'],
            windows: [{ days: [1], from: '20:00', to: '05:00', timezone: 'Europe/Berlin' }],
            frozenUntil: '2026-01-02T00:00:00Z',
          },
        },
      ],
      [
        taggingFields,
        {
          spec: {
            selector: { all: [{ attr: 'res.provider', op: 'in', values: ['aws'] }] },
            tag: { key: 'size', value: { fields: ['res.instance_type'], join: '-', standardize: true } },
          },
        },
      ],
    ]
    for (const [of, spec] of specs) expect(objectOf(of, draftOf(of, spec))).to.deep.equal(spec)
  })

  it('are nothing where the address says nothing that can be read', () => {
    expect([undefined, '', '[1]', '7', '{"ruleId":"RC-1001"}'].map(changeOf)).to.deep.equal([
      {},
      {},
      {},
      {},
      { ruleId: 'RC-1001' },
    ])
  })
})
