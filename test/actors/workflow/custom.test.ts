import { expect } from 'chai'
import { workflowDomain } from '#actors/workflow/custom/custom.ts'
import { workflowErrors } from '#actors/workflow/custom/check.ts'
import type { WorkflowSpec } from '#actors/workflow/custom/spec.ts'
import { templates } from '#actors/workflow/plan/template.ts'
import { approval, execute, misshapen, owner, precondition, stop, told, validate, whole } from './lists.ts'

describe('policies of workflows', () => {
  it('take their own examples, and are of owners and admins', () => {
    for (const spec of workflowDomain.examples) expect(told(spec)).to.deep.equal([])
    const { name, max, adminOnly } = workflowDomain
    expect([name, max, adminOnly]).to.deep.equal(['workflow', 20, true])
  })

  it('are refused by the shape of a spec, each error by its place', () => {
    const step = (fields: object) => stop(precondition, { ...owner, ...fields }, approval, execute, validate)
    for (const [spec, ...expected] of [
      [{ extraApprovals: 3 }, '/extraApprovals maximum'],
      [{ extraApprovals: -1 }, '/extraApprovals minimum'],
      [{ expiresHours: 0 }, '/expiresHours minimum'],
      [{ expiresHours: 169 }, '/expiresHours maximum'],
      [{ fourEyes: 'yes' }, '/fourEyes type'],
      [{ match: { templates: ['start'] } }, '/match/templates/0 enum'],
      [{ match: { categories: [] } }, '/match/categories minItems'],
      [{ match: { categories: ['cheap'] } }, '/match/categories/0 enum'],
      [
        { window: { days: [8], from: '24:00', to: '04:00', timezone: 'UTC' } },
        '/window/days/0 maximum',
        '/window/from pattern',
      ],
      [{ template: 'reboot', steps: whole }, '/template enum'],
      [stop(), '/steps minItems'],
      [stop(...Array(13).fill(owner)), '/steps maxItems'],
      [step({ id: 'Owner' }), '/steps/1/id pattern'],
      [step({ id: '/owner' }), '/steps/1/id pattern'],
      [step({ id: 'a'.repeat(65) }), '/steps/1/id maxLength', '/steps/1/id pattern'],
      [step({ name: '' }), '/steps/1/name minLength'],
      [step({ kind: 'wait' }), '/steps/1/kind enum'],
      [step({ op: 'reboot' }), '/steps/1/op enum'],
      [step({ approvals: 0 }), '/steps/1/approvals minimum'],
      [step({ approvals: 4 }), '/steps/1/approvals maximum'],
      [step({ expiresHours: 169 }), '/steps/1/expiresHours maximum'],
      [step({ timeoutMinutes: 1441 }), '/steps/1/timeoutMinutes maximum'],
    ] as const)
      expect(misshapen(spec).toSorted(), JSON.stringify(spec)).to.deep.equal(expected)
    expect(misshapen(step({ id: 'a0_/-'.padEnd(64, 'z') }))).to.deep.equal([])
  })

  it('are refused for rules there are not, attributes that are none, and windows that are none', () => {
    const match = {
      ruleIds: ['RC-1001', 'RC-0', 'RC-9999'],
      selector: {
        all: [
          { attr: 'res.mood', op: 'in', values: ['good'] },
          { attr: 'env', op: 'equals' },
        ],
      },
    }
    const window = { days: [1], from: '08:00', to: '08:00', timezone: 'Mars/Olympus' }
    expect(told({ match, window })).to.deep.equal([
      '/match/ruleIds/1 unknown',
      '/match/ruleIds/2 unknown',
      '/match/selector/all/0/attr unknown',
      '/match/selector/all/1/attr unknown',
      '/match/selector/all/1/values minItems',
      '/window/to range',
      '/window/timezone format',
    ])
  })

  const lists: readonly [name: string, spec: object, ...errors: string[]][] = [
    ['the steps of the template', stop(...whole)],
    ['an approval before that of the template', stop(precondition, owner, approval, execute, validate)],
    ['an approval behind it', stop(precondition, approval, owner, execute, validate)],
    [
      'a precondition before all',
      stop({ id: 'frozen', name: 'frozen', kind: 'precondition' }, precondition, approval, execute, validate),
    ],
    [
      'a precondition between approval and change',
      stop(precondition, approval, { id: 'backup', name: 'backup', kind: 'precondition' }, execute, validate),
    ],
    ['a template and no steps', { template: 'stop' }, '/steps required'],
    [
      'steps without a template',
      { steps: [precondition, precondition] },
      '/template required',
      '/steps/1/id unique',
      '/steps/1/name unique',
    ],
    ['no precondition', stop(approval, execute, validate), '/steps missing', '/steps/0/kind first'],
    ['no approval', stop(precondition, execute, validate), '/steps missing', '/steps/1/kind ungated'],
    [
      'no approval of the template, another in its place',
      stop(precondition, owner, execute, validate),
      '/steps missing',
    ],
    ['no change', stop(precondition, approval, validate), '/steps missing'],
    ['no validate', stop(precondition, approval, execute), '/steps missing', '/steps/2/kind last'],
    [
      'the approval behind the change',
      stop(precondition, execute, approval, validate),
      '/steps/1/id order',
      '/steps/1/kind ungated',
    ],
    [
      'all the other way round',
      stop(validate, execute, approval, precondition),
      '/steps/2/id order',
      '/steps/1/id order',
      '/steps/0/id order',
      '/steps/0/kind first',
      '/steps/3/kind last',
      '/steps/1/kind ungated',
    ],
    [
      'an approval before the precondition',
      stop(owner, precondition, approval, execute, validate),
      '/steps/0/kind first',
    ],
    ['an approval behind the change', stop(precondition, approval, execute, owner, validate), '/steps/3/id order'],
    [
      'an approval behind the validate',
      stop(precondition, approval, execute, validate, owner),
      '/steps/4/id order',
      '/steps/4/kind last',
    ],
    [
      'a step of the template under another name',
      stop({ ...precondition, name: 'check' }, approval, execute, validate),
      '/steps/0/name fixed',
    ],
    [
      'a step of the template of another kind',
      stop(precondition, { ...approval, kind: 'precondition' }, execute, validate),
      '/steps/1/kind fixed',
      '/steps/2/kind ungated',
    ],
    [
      'two steps of one id',
      stop(precondition, owner, { ...owner, name: 'other' }, approval, execute, validate),
      '/steps/2/id unique',
    ],
    [
      'two steps of one name',
      stop(precondition, { ...owner, name: 'approval' }, approval, execute, validate),
      '/steps/2/name unique',
    ],
    [
      'a step of another template',
      stop(precondition, { ...owner, id: 'delete/approve/1' }, approval, execute, validate),
      '/steps/1/id taken',
    ],
    [
      'a second change',
      stop(precondition, approval, execute, { id: 'again', name: 'again', kind: 'execute' }, validate),
      '/steps/3/kind added',
    ],
    [
      'a second validate',
      stop(precondition, approval, execute, validate, { id: 'look', name: 'look', kind: 'validate' }),
      '/steps/4/kind added',
    ],
    [
      'what the template does, named',
      stop(
        precondition,
        { ...approval, approvals: 3, expiresHours: 1 },
        { ...execute, op: 'stop' },
        { ...validate, timeoutMinutes: 1440 },
      ),
    ],
    [
      'what another template does',
      stop(precondition, approval, { ...execute, op: 'delete' }, validate),
      '/steps/2/op template',
    ],
    [
      'what steps of a kind do not have',
      stop(
        { ...precondition, approvals: 2 },
        { ...approval, op: 'stop', timeoutMinutes: 1 },
        { ...execute, expiresHours: 3 },
        validate,
      ),
      '/steps/0/approvals needless',
      '/steps/1/op needless',
      '/steps/1/timeoutMinutes needless',
      '/steps/2/expiresHours needless',
    ],
    [
      'a template that the policy does not match',
      { ...stop(...whole), match: { templates: ['delete', 'pause'] } },
      '/template unmatched',
    ],
    [
      'steps of another template',
      { template: 'delete', steps: whole },
      ...Array<string>(4).fill('/steps missing'),
      '/steps/0/id taken',
      '/steps/1/id taken',
      '/steps/2/id taken',
      '/steps/2/kind added',
      '/steps/3/id taken',
      '/steps/3/kind added',
    ],
  ]
  for (const [name, spec, ...errors] of lists)
    it(`${errors.length === 0 ? 'take' : 'do not take'} a list with ${name} [WF-08] [WF-10]`, () => {
      expect(told(spec)).to.deep.equal(errors)
    })

  it('may give a start an approval, which it need not have', () => {
    const start = templates.start.steps.map(({ id, name, kind }) => ({ id, name, kind }))
    expect(told({ template: 'start', steps: start })).to.deep.equal([])
    expect(told({ template: 'start', steps: start.toSpliced(1, 0, owner) })).to.deep.equal([])
  })

  it('say which errors these are, in words', () => {
    const spec = stop(precondition, execute, approval, owner, validate) as WorkflowSpec
    expect(workflowErrors(spec)).to.deep.equal([
      { path: '/steps/1/id', code: 'order', message: 'must come after stop/approve/1' },
      { path: '/steps/3/id', code: 'order', message: 'must come before stop/execute/1' },
      { path: '/steps/1/kind', code: 'ungated', message: 'must come after an approval' },
    ])
  })
})
