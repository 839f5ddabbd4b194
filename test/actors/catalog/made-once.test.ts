/** Whatever happens to a job: everything is made once at its cloud, and what is taken away leaves nothing there. */
import { expect } from 'chai'
import fc from 'fast-check'
import { makingSteps, ownSteps, provisioningKinds, stepsOf } from '#streams/cloud/provision.ts'
import { CloudJob, fates } from '#test/harness/catalog-cloud.ts'
import { amount } from '#test/harness/tier.ts'

const happenings = ['work', 'work', 'work', 'pass', 'pass', 'retry', 'again', 'repeat', 'delete'] as const
type Happening = (typeof happenings)[number]

const faultsOf = (kind: (typeof provisioningKinds)[number]) =>
  fc.array(
    fc.record({
      call: fc.constantFrom(
        ...stepsOf[kind]
          .filter((step) => !ownSteps.has(step))
          .flatMap((step) => [`provision.${step}`, `unprovision.${step}`]),
      ),
      error: fc.constantFrom('throttled', 'throttled', 'quota_exceeded'),
      times: fc.integer({ min: 1, max: 7 }),
    }),
    { maxLength: 5 },
  )

const cases = fc.constantFrom(...provisioningKinds).chain((kind) =>
  fc.record({
    kind: fc.constant(kind),
    faults: faultsOf(kind),
    fate: fc.array(fc.constantFrom(...fates), { maxLength: 20 }),
    happened: fc.array(fc.constantFrom(...happenings), { minLength: 20, maxLength: 80 }),
  }),
)

/** Reports that came already, and some that nobody ever sent. */
function repeat(job: CloudJob): void {
  for (const { step, attempt, call } of job.pending) {
    job.report({ step, attempt: attempt + 1, call }, { status: 'done' })
    job.report({ step, attempt, call: `${step}/${attempt}/0` }, { status: 'done' })
  }
}

const does: Record<Happening, (job: CloudJob, fate: () => (typeof fates)[number]) => Promise<void>> = {
  work: (job, fate) => job.work(fate),
  pass: async (job) => job.pass(job.now + 12_000),
  retry: async (job) => void job.command('retry'),
  delete: async (job) => void job.command('delete'),
  again: async (job) => void job.due('again'),
  repeat: async (job) => repeat(job),
}

describe('a job, whatever happens to it', () => {
  it('makes each thing once, and comes to its end once nothing fails any more [PROV-07] [PROV-26] [PROV-32]', async () => {
    let ready = 0
    let deleted = 0
    const property = fc.asyncProperty(cases, async ({ kind, faults, fate, happened }) => {
      const job = new CloudJob(kind, faults as never)
      const left = [...fate]
      for (const one of happened) await does[one](job, () => left.shift() ?? 'said')
      await job.settle()
      if (job.row.phase === 'failed') job.command('retry')
      await job.settle()
      if (job.row.phase === 'delete_failed') job.command('delete')
      await job.settle()
      const { phase, awaited } = job.row
      expect(phase).to.be.oneOf(['ready', 'deleted'])
      expect([job.doubled, awaited]).to.deep.equal([[], null])
      const { steps, left: there } = job.things
      expect(new Set(steps).size).to.equal(steps.length)
      if (phase === 'deleted') expect(there).to.equal(0)
      else expect([steps, there]).to.deep.equal([stepsOf[kind].filter((step) => makingSteps.has(step)), steps.length])
      if (phase === 'ready') ready += 1
      else deleted += 1
    })
    await fc.assert(property, { numRuns: amount(40, 400, 4000) })
    expect(Math.min(ready, deleted), `${ready} ready, ${deleted} deleted`).to.be.greaterThan(amount(0, 20, 200))
  })

  it('leaves nothing once it is deleted, whichever step it had failed at [PROV-06]', async () => {
    for (const kind of provisioningKinds)
      for (const step of stepsOf[kind].filter((one) => !ownSteps.has(one))) {
        const job = new CloudJob(kind, [{ call: `provision.${step}`, error: 'quota_exceeded', times: 1 }])
        for (let i = 0; i < 20 && job.row.phase !== 'failed'; i++) {
          await job.work()
          job.pass(job.now + 20_000)
        }
        expect([job.row.phase, job.row.error?.stepName], `${kind} at ${step}`).to.deep.equal(['failed', step])
        job.command('delete')
        await job.settle()
        expect([job.row.phase, job.things.left], `${kind} at ${step}`).to.deep.equal(['deleted', 0])
      }
  })

  it('leaves nothing either where undoing fails at any step, once it is deleted again [PROV-06]', async () => {
    for (const kind of provisioningKinds)
      for (const step of stepsOf[kind].filter((one) => makingSteps.has(one))) {
        const job = new CloudJob(kind, [{ call: `unprovision.${step}`, error: 'access_denied', times: 1 }])
        const until = async (phase: string) => {
          for (let i = 0; i < 20 && job.row.phase !== phase; i++) {
            await job.work()
            job.pass(job.now + 20_000)
          }
        }
        await until('ready')
        job.command('delete')
        await until('delete_failed')
        expect([job.row.phase, job.row.error?.stepName], `${kind} at ${step}`).to.deep.equal(['delete_failed', step])
        job.command('delete')
        await job.settle()
        expect([job.row.phase, job.things.left, job.doubled], `${kind} at ${step}`).to.deep.equal(['deleted', 0, []])
      }
  })
})
