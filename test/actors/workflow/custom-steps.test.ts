import { expect } from 'chai'
import fc from 'fast-check'
import { compileWorkflows, stepsFor, type WorkflowSubject } from '#actors/workflow/custom/custom.ts'
import type { CustomStep } from '#actors/workflow/custom/spec.ts'
import { templates, type TemplateStep } from '#actors/workflow/plan/template.ts'
import { templateNames, type TemplateName } from '#streams/workflow.ts'
import { amount } from '#test/harness/tier.ts'
import { approval, execute, owner, precondition, stop, told, validate } from './lists.ts'

const policies = (...specs: object[]) =>
  specs.map((spec, i) => ({ id: `p-${i + 1}`, name: `P${i + 1}`, spec, createdAt: new Date(i) }))
const compiled = (...specs: object[]) => compileWorkflows(policies(...specs))
/** The steps of template stop by these policies. */
const steps = (approvalsMin: number, ...specs: object[]) =>
  stepsFor(templates.stop, compiled(...specs), approvalsMin).map(
    ({ id, approvals, expiresHours, timeoutMinutes }) =>
      `${id}${approvals ? ` ${approvals}/${expiresHours}` : ''}${timeoutMinutes ? ` ${timeoutMinutes}` : ''}`,
  )
const builtIn = ['stop/precondition/1', 'stop/approve/1 1/168', 'stop/execute/1', 'stop/validate/1 15']
const withApproval = (text: string) => builtIn.with(1, `stop/approve/1 ${text}`)

describe('compiled policies of workflows', () => {
  const about = (fields: Partial<WorkflowSubject> = {}): WorkflowSubject => ({
    ruleId: 'RC-1001',
    category: 'idle',
    template: 'stop',
    facts: { of: { 'res.type': 'aws-ec2' }, tags: { Env: 'prod' } },
    ...fields,
  })
  const fits = (match: object | undefined, fields: Partial<WorkflowSubject> = {}) =>
    compiled({ ...(match && { match }) })[0]!.fits(about(fields))

  it('fit what all of their match holds for, and everything without one', () => {
    expect([fits(undefined), fits({})]).to.deep.equal([true, true])
    expect([fits({ categories: ['idle', 'orphan'] }), fits({ categories: ['orphan'] })]).to.deep.equal([true, false])
    expect([fits({ ruleIds: ['RC-1001'] }), fits({ ruleIds: ['RC-1002'] })]).to.deep.equal([true, false])
    expect([fits({ templates: ['stop'] }), fits({ templates: ['delete'] })]).to.deep.equal([true, false])
    expect([
      fits(undefined, { template: 'start' }),
      fits({ templates: ['stop'] }, { template: 'start' }),
    ]).to.deep.equal([true, false])
    const tagged = (value: string) => ({ selector: { all: [{ attr: 'res.tags.env', op: 'in', values: [value] }] } })
    expect([fits(tagged('PROD')), fits(tagged('dev'))]).to.deep.equal([true, false])
    const all = { categories: ['idle'], ruleIds: ['RC-1001'], templates: ['stop'], ...tagged('prod') }
    expect([fits(all), fits({ ...all, ruleIds: ['RC-1'] })]).to.deep.equal([true, false])
  })

  it('are those that are valid, in their order', () => {
    const found = compiled(
      { extraApprovals: 1 },
      { extraApprovals: 9 },
      stop(approval, execute, validate),
      'nonsense' as never,
      { match: { selector: { all: [{ attr: 'res.mood', op: 'exists' }] } } },
      { expiresHours: 5 },
    )
    expect(found.map(({ id, spec }) => [id, spec])).to.deep.equal([
      ['p-1', { extraApprovals: 1 }],
      ['p-6', { expiresHours: 5 }],
    ])
  })

  it('outlive a rule that they name beside others', () => {
    const [found] = compiled({ match: { ruleIds: ['RC-0', 'RC-1001'] }, extraApprovals: 1 })
    expect([found!.fits(about()), found!.fits(about({ ruleId: 'RC-1002' }))]).to.deep.equal([true, false])
  })
})

describe('the steps of a workflow', () => {
  it('are those of its template where no policy adds to them', () => {
    for (const name of templateNames)
      expect(stepsFor(templates[name], [], 1), name).to.deep.equal(templates[name].steps)
    expect(steps(1, {}, { fourEyes: true })).to.deep.equal(builtIn)
  })

  it('need the people that the policy which asks for most adds, three at most', () => {
    expect(steps(1, { extraApprovals: 1 })).to.deep.equal(withApproval('2/168'))
    expect(steps(1, { extraApprovals: 1 }, { extraApprovals: 2 }, { extraApprovals: 0 })).to.deep.equal(
      withApproval('3/168'),
    )
    const three = stop(precondition, { ...approval, approvals: 3 }, execute, validate)
    expect(steps(1, three, { extraApprovals: 2 })).to.deep.equal(withApproval('3/168'))
  })

  it('need as many people at the last approval as the organization wants, three at most', () => {
    expect(steps(2)).to.deep.equal(withApproval('2/168'))
    expect(steps(2, { extraApprovals: 2 })).to.deep.equal(withApproval('3/168'))
    expect(steps(9)).to.deep.equal(withApproval('3/168'))
    expect(stepsFor(templates.manual, [], 2).map(({ approvals = 0 }) => approvals)).to.deep.equal([0, 2, 0])
    expect(stepsFor(templates.pause, [], 2).map(({ approvals = 0 }) => approvals)).to.deep.equal([0, 2, 0, 0])
  })

  it('wait for the fewest hours of all', () => {
    expect(steps(1, { expiresHours: 48 }, { expiresHours: 24 })).to.deep.equal(withApproval('1/24'))
    const short = stop(precondition, { ...owner, expiresHours: 12 }, approval, execute, validate)
    expect(steps(1, short, { expiresHours: 24 })).to.deep.equal([
      'stop/precondition/1',
      'owner 1/12',
      'stop/approve/1 1/24',
      'stop/execute/1',
      'stop/validate/1 15',
    ])
  })

  it('are those of all lists for the template, each where its list has it, and as the strictest has it', () => {
    const remove = templates.delete.steps.map(({ id, name, kind }) => ({ id, name, kind }))
    const first = stop(precondition, approval, { ...owner, approvals: 2 }, execute, { ...validate, timeoutMinutes: 30 })
    const second = stop(precondition, { ...approval, approvals: 3 }, execute, validate)
    expect(steps(1, { template: 'delete', steps: remove }, first, second, { extraApprovals: 1 })).to.deep.equal([
      'stop/precondition/1',
      'stop/approve/1 3/168',
      'owner 3/168',
      'stop/execute/1',
      'stop/validate/1 30',
    ])
  })

  it('are whole steps: those of the template as it has them, added ones with what they leave out', () => {
    const remove = templates.delete.steps.map(({ id, name, kind }) => ({ id, name, kind }))
    const list = remove.toSpliced(1, 0, { id: 'legal', name: 'legal', kind: 'approval' })
    const op = list.map((step) => (step.kind === 'execute' ? { ...step, op: 'delete' } : step))
    expect(stepsFor(templates.delete, compiled({ template: 'delete', steps: op }), 1)).to.deep.equal([
      { id: 'delete/precondition/1', name: 'precondition', kind: 'precondition', reversible: true },
      { id: 'legal', name: 'legal', kind: 'approval', approvals: 1, expiresHours: 168, reversible: true },
      { id: 'delete/approve/1', name: 'approval', kind: 'approval', approvals: 1, expiresHours: 168, reversible: true },
      { id: 'delete/execute/1', name: 'execute', kind: 'execute', reversible: false },
      { id: 'delete/validate/1', name: 'validate', kind: 'validate', timeoutMinutes: 15, reversible: true },
    ])
  })

  it('of a start have no approval unless a policy has a list with one', () => {
    const start = templates.start.steps.map(({ id, name, kind }) => ({ id, name, kind }))
    expect(stepsFor(templates.start, compiled({ extraApprovals: 2 }), 2)).to.deep.equal(templates.start.steps)
    const list = { template: 'start', steps: start.toSpliced(1, 0, owner) }
    const found = stepsFor(templates.start, compiled(list, { extraApprovals: 1 }), 1)
    expect(found.map(({ id, approvals = 0 }) => [id, approvals])).to.deep.equal([
      ['start/precondition/1', 0],
      ['owner', 2],
      ['start/execute/1', 0],
      ['start/validate/1', 0],
    ])
  })
})

/** Lists that are right: steps of a template, with others added before its change. */
const added = fc.record({
  kind: fc.constantFrom('approval' as const, 'precondition' as const),
  place: fc.nat(),
  approvals: fc.option(fc.integer({ min: 1, max: 3 }), { nil: undefined }),
  expiresHours: fc.option(fc.integer({ min: 1, max: 168 }), { nil: undefined }),
})
const plain = (step: object) => JSON.parse(JSON.stringify(step)) as CustomStep

const listSpec = fc
  .record({
    template: fc.constantFrom(...templateNames),
    more: fc.array(added, { maxLength: 8 }),
    raised: fc.integer({ min: 1, max: 3 }),
    hours: fc.option(fc.integer({ min: 1, max: 168 }), { nil: undefined }),
    isStartingOwn: fc.boolean(),
  })
  .map(({ template, more, raised, hours, isStartingOwn }) => {
    const list = templates[template].steps.map(({ id, name, kind }) =>
      plain({ id, name, kind, ...(kind === 'approval' && { approvals: raised, expiresHours: hours }) }),
    )
    for (const [i, { place, kind, approvals, expiresHours }] of more.entries()) {
      const isApproval = kind === 'approval'
      const step = { id: `more/${i}`, name: `more ${i}`, kind, ...(isApproval && { approvals, expiresHours }) }
      const change = list.findIndex((one) => ['execute', 'pause_service', 'validate'].includes(one.kind))
      // A precondition may stand before all.
      const first = isApproval || isStartingOwn ? 1 : 0
      list.splice(first + (place % (change + 1 - first)), 0, plain(step))
    }
    return { template, steps: list }
  })
const wish = fc.record(
  { extraApprovals: fc.integer({ min: 0, max: 2 }), expiresHours: fc.integer({ min: 1, max: 168 }) },
  { requiredKeys: [] },
)

const gates = (list: readonly TemplateStep[], name: TemplateName): TemplateStep[] =>
  list.filter(({ id }) => templates[name].steps.some((own) => own.id === id))
const isChange = ({ kind }: TemplateStep) => kind === 'execute' || kind === 'pause_service'

describe('the steps of a workflow, whatever policies say', () => {
  it('keep each step and gate of the template in its order, and need no fewer people nor more hours [WF-10]', () => {
    fc.assert(
      fc.property(
        fc.array(listSpec, { maxLength: 3 }),
        fc.array(wish, { maxLength: 3 }),
        fc.nat(3),
        (all, wishes, least) => {
          for (const spec of all) expect(told(spec)).to.deep.equal([])
          const found = compiled(...all, ...wishes)
          expect(found).to.have.length(all.length + wishes.length)
          for (const name of templateNames) {
            const own = templates[name].steps
            const made = stepsFor(templates[name], found, least)
            expect(
              gates(made, name).map(({ id, name: called, kind, reversible }) => [id, called, kind, reversible]),
            ).to.deep.equal(own.map(({ id, name: called, kind, reversible }) => [id, called, kind, reversible]))
            expect([made[0]!.kind, made.at(-1)!.kind]).to.deep.equal(['precondition', 'validate'])
            expect(made.length).to.be.at.most(own.length + (12 - own.length) * Math.max(1, all.length))
            const approvals = made.filter(({ kind }) => kind === 'approval')
            for (const one of approvals) {
              expect(one.approvals).to.be.within(1, 3)
              const hours = wishes.map(({ expiresHours = 168 }) => expiresHours)
              expect(one.expiresHours).to.be.at.most(Math.min(168, ...hours))
            }
            if (name === 'start') continue
            const change = made.findIndex(isChange)
            const before = made.slice(0, change < 0 ? -1 : change).filter(({ kind }) => kind === 'approval')
            expect(before).to.have.length(approvals.length)
            const extra = Math.max(0, ...wishes.map(({ extraApprovals = 0 }) => extraApprovals))
            expect(before.at(-1)!.approvals).to.be.at.least(Math.max(1 + extra, least))
          }
        },
      ),
      { numRuns: amount(150, 500, 5000) },
    )
  })

  it('are refused where a step of the template is left out, or two of them change places', () => {
    fc.assert(
      fc.property(listSpec, fc.nat(), fc.nat(), ({ template, steps: list }, a, b) => {
        const own = list.flatMap(({ id }, i) => (id.startsWith('more/') ? [] : [i]))
        const [one, other] = [own[a % own.length]!, own[b % own.length]!]
        expect(told({ template, steps: list.toSpliced(one, 1) })).to.not.deep.equal([])
        const swapped = list.with(one, list[other]!).with(other, list[one]!)
        if (one !== other) expect(told({ template, steps: swapped })).to.not.deep.equal([])
      }),
      { numRuns: amount(150, 500, 5000) },
    )
  })
})
