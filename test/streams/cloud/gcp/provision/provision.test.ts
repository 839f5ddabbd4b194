import { expect } from 'chai'
import { unprovision } from '#streams/cloud/gcp/provision/index.ts'
import { fails, farGoogle, account, refusing, type FarGoogle } from '#test/streams/cloud/gcp/far-google.ts'
import { amount } from '#test/harness/tier.ts'
import { FarServices } from './far-services.ts'
import { Job, jobId, ownName } from './job.ts'
import { cases } from './cases.ts'

describe('what is provisioned at Google Cloud', () => {
  let far: FarGoogle
  let services: FarServices
  beforeEach(async () => {
    services = new FarServices()
    far = await farGoogle(services.answer)
  })
  afterEach(() => far.close())

  for (const { title, kind, config, created, bodies, outputs, gone, secrets = [], isFinal, before = {} } of cases) {
    const job = (id?: string) => {
      for (const [path, body] of Object.entries(before)) services.kept.set(path, { body, state: 'ready' })
      return new Job(far.options, kind, config, id)
    }
    const left = () => [...services.kept.keys()].filter((path) => !Object.hasOwn(before, path))

    it(`${title}: is requested as Google's documents say, is as configured, and is told of`, async () => {
      const one = job()
      await one.make()
      expect(services.done).to.deep.equal(created.map((name) => `create ${name}`))
      for (const [name, body] of Object.entries(bodies)) expect(services.bodies.get(name), name).to.deep.equal(body)
      for (const [step, output] of Object.entries(outputs)) expect(one.outputs[step], step).to.deep.equal(output)
      expect(Object.keys(one.secrets)).to.deep.equal(secrets)
      expect(await one.describe()).to.deep.equal(config)
      expect((await one.unmake()).toSorted()).to.deep.equal(gone.toSorted())
      expect(left()).to.deep.equal([])
      expect(await one.describe()).to.equal(null)
    })

    it(`${title}: is created once and nothing is left, although answers are lost and operations are slow`, async () => {
      for (let each = 1; each <= amount(3, 4, 9); each++) {
        // Not both by the same number: a change that is repeated until it is accepted would be lost each time.
        Object.assign(services, { loseEach: each < 4 ? Math.max(2, each) : each + 1, takes: each })
        const one = job()
        await one.make()
        expect(services.done, `each ${each}`).to.deep.equal(created.map((name) => `create ${name}`))
        await one.unmake()
        expect(left(), `each ${each}`).to.deep.equal([])
        services.done.length = 0
      }
    })

    it(`${title}: is deleted twice, and reported as deleted each time`, async () => {
      const one = job()
      await one.make()
      await one.unmake()
      const count = services.done.length
      expect((await one.unmake()).toSorted()).to.deep.equal(gone.toSorted())
      expect(services.done.length).to.equal(count)
    })

    it(`${title}: is created by a retry after its operation has failed, which says why`, async () => {
      const [collection] = created[0]!.split('/')
      services.failures.set(collection!, { code: 8, errors: [{ code: 'QUOTA_EXCEEDED', message: 'Quota of 5.' }] })
      const one = job()
      const failure = await fails(one.make())
      expect(failure).to.equal('user_action quota_exceeded')
      if (isFinal) {
        expect(await fails(one.make())).to.equal('user_action creation_failed')
        await one.unmake()
      }
      await one.make()
      expect(services.done.filter((what) => what.startsWith('create'))).to.deep.equal(
        created.map((name) => `create ${name}`),
      )
      await one.unmake()
      expect(left()).to.deep.equal([])
    })

    it(`${title}: says a quota, and waits while Google is busy`, async () => {
      const first = new RegExp(`/${created[0]!.split('/')[0]}$`)
      services.refusals.push({ method: 'POST', of: first, answer: refusing(403, 'quotaExceeded') })
      expect(await fails(job().make())).to.equal('user_action quota_exceeded')
      for (const [status, reason] of [
        [429, 'rateLimitExceeded'],
        [503, 'backendError'],
      ] as const)
        services.refusals.push({ method: 'POST', of: first, answer: refusing(status, reason) })
      await job().make()
      expect(services.done).to.deep.equal(created.map((name) => `create ${name}`))
    })

    it(`${title}: leaves alone what another job has created under its name`, async () => {
      await job('00000000-0000-4000-8000-0f9f2b9f6a01').make()
      const before = [...services.kept.keys()]
      expect(await fails(job().make())).to.equal('user_action already_exists')
      expect(await job().unmake()).to.deep.equal([])
      expect([...services.kept.keys()]).to.deep.equal(before)
    })
  }

  it('does not count as deleted because something else does not exist', async () => {
    const request = { ...new Job(far.options, 'registry', { name: 'images', immutableTags: true }).request('create') }
    services.refusals.push({
      method: 'GET',
      of: /repositories/,
      answer: refusing(404, 'NOT_FOUND', "Resource 'projects/shop-prod' was not found"),
    })
    expect(await fails(unprovision(far.options, account, request))).to.equal('user_action not_found')
    expect(await unprovision(far.options, account, request)).to.deep.equal({ status: 'done', gone: [] })
    expect(ownName.endsWith(jobId.slice(-12))).to.equal(true)
  })
})
