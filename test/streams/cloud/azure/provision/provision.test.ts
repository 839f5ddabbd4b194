import { expect } from 'chai'
import { unprovision } from '#streams/cloud/azure/provision/index.ts'
import { azurePermissions } from '#streams/cloud/azure/permission/permissions.ts'
import { permissionOf } from '#streams/cloud/azure/session/path.ts'
import { amount } from '#test/harness/tier.ts'
import { account, answerServer, armError, fails, type AnswerServer } from '#test/streams/cloud/azure/answer-server.ts'
import { group, Job, ownName } from './case.ts'
import { cases } from './cases.ts'
import { FarArm } from './far-arm.ts'

const quick = { budgetMin: 100_000, breakAfter: 100_000 }

describe('what is provisioned at Azure', () => {
  let server: AnswerServer
  let arm: FarArm
  beforeEach(async () => {
    arm = new FarArm()
    server = await answerServer((question) => arm.answer(question), { rules: quick })
  })
  afterEach(() => server.close())

  for (const { title, kind, config, created, bodies, outputs, gone, secrets = [], before = {} } of cases) {
    const job = (failed?: () => void) => {
      for (const [path, body] of Object.entries(before)) arm.add(path, structuredClone(body))
      return new Job(server.options, kind, config, failed)
    }
    const others = new Set(Object.keys(before).map((path) => path.toLowerCase()))
    const left = () => [...arm.kept.keys()].filter((path) => !others.has(path))
    const made = [`create resourceGroups/${ownName}`, ...created.map((name) => `create ${name}`)]
    const first = created[0]!.split('/')[0]!

    it(`${title}: is requested as Azure's documents say, is as configured, and is told of`, async () => {
      const one = job()
      await one.make()
      expect(arm.done).to.deep.equal(made)
      for (const [name, body] of Object.entries(bodies)) expect(arm.bodies.get(name), name).to.deep.equal(body)
      for (const [step, output] of Object.entries(outputs)) expect(one.outputs[step], step).to.deep.equal(output)
      expect(Object.keys(one.secrets)).to.deep.equal(secrets)
      expect(await one.describe()).to.deep.equal(config)
      expect((await one.unmake()).toSorted()).to.deep.equal(gone.toSorted())
      expect(left()).to.deep.equal([])
      expect(await one.describe()).to.equal(null)
      const named = new Set(azurePermissions.flatMap(({ names }) => names.map((name) => name.toLowerCase())))
      const asked = new Set(server.asked.map(({ method, path }) => permissionOf(method, path).toLowerCase()))
      expect([...asked].filter((name) => !named.has(name))).to.deep.equal([])
    })

    it(`${title}: is created once and nothing is left, although answers are lost and operations are slow`, async () => {
      for (let each = 1; each <= amount(2, 4, 9); each++) {
        Object.assign(arm, { loseEach: each === 1 ? 2 : each, takes: each })
        const one = job()
        await one.make()
        expect(arm.done, `each ${each}`).to.deep.equal(made)
        await one.unmake()
        expect(left(), `each ${each}`).to.deep.equal([])
        arm.done.length = 0
      }
    })

    it(`${title}: is created once and nothing is left, although the process is killed after any call`, async () => {
      let isKilled = true
      for (let at = 1; isKilled; at += amount(7, 1, 1)) {
        Object.assign(arm, { killAt: at, questions: 0 })
        isKilled = false
        const one = job(() => {
          isKilled = true
          arm.isDead = false
        })
        await one.make()
        await one.unmake()
        expect(
          arm.done.filter((what) => !what.startsWith('delete')),
          `at ${at}`,
        ).to.deep.equal(made)
        expect(left(), `at ${at}`).to.deep.equal([])
        arm.done.length = 0
      }
    })

    it(`${title}: is deleted twice, and reported as deleted each time`, async () => {
      const one = job()
      await one.make()
      await one.unmake()
      const count = arm.done.length
      expect((await one.unmake()).toSorted()).to.deep.equal(gone.toSorted())
      expect(arm.done.length).to.equal(count)
    })

    it(`${title}: is created by a retry after its operation has failed, which says why`, async () => {
      const details = [{ code: 'SkuQuotaExceeded', message: 'Quota of 5.' }]
      arm.failures.set(first, { code: 'DeploymentFailed', message: 'It failed.', details })
      const one = job()
      // Redis tells of it at once, without details.
      const told = first === 'redis' ? 'user_action rejected' : 'user_action quota_exceeded'
      expect(await fails(one.make())).to.equal(told)
      await one.make()
      expect(arm.done).to.deep.equal(made)
      await one.unmake()
      expect(left()).to.deep.equal([])
    })

    it(`${title}: says a quota, and waits while Azure is busy`, async () => {
      const of = new RegExp(`/${first}/`)
      arm.refusals.push({ method: 'PUT', of, answer: armError(409, 'OperationNotAllowed', 'It exceeds the quota.') })
      expect(await fails(job().make())).to.equal('user_action quota_exceeded')
      for (const answer of [
        armError(429, 'TooManyRequests', 'Wait.', { 'retry-after': '17' }),
        armError(503, 'ServiceUnavailable'),
        armError(409, 'AnotherOperationInProgress'),
      ])
        arm.refusals.push({ method: 'PUT', of, answer })
      const from = server.options.clock.now()
      await job().make()
      expect(arm.done).to.deep.equal(made)
      expect(server.options.clock.now() - from).to.be.at.least(17_000)
    })

    it(`${title}: leaves alone a group of its name that it has not created`, async () => {
      const one = job()
      arm.add(group, { location: 'westeurope', tags: { 'tidemark:job': 'another' } })
      expect(await fails(one.make())).to.equal('user_action already_exists')
      expect(await job().unmake()).to.deep.equal([])
      expect(left()).to.deep.equal([group.toLowerCase()])
    })
  }

  it('does not count as deleted because something else does not exist', async () => {
    const request = new Job(server.options, 'registry', { name: 'images', immutableTags: false }).request('create')
    const answer = armError(404, 'SubscriptionNotFound', 'The subscription could not be found.')
    arm.refusals.push({ method: 'GET', of: /resourceGroups/, answer })
    expect(await fails(unprovision(server.options, account, request))).to.equal('user_action not_found')
    const other = armError(404, 'ResourceNotFound', "The Resource 'Microsoft.Web/sites/shop' was not found.")
    arm.refusals.push({ method: 'GET', of: /resourceGroups/, answer: other })
    expect(await fails(unprovision(server.options, account, request))).to.equal('user_action not_found')
    const byId = armError(404, 'NotFound', 'Resource /subscriptions/s/resourceGroups/Shop not found.')
    arm.refusals.push({ method: 'GET', of: /resourceGroups/, answer: byId })
    expect(await fails(unprovision(server.options, account, request))).to.equal('user_action not_found')
    expect(await unprovision(server.options, account, request)).to.deep.equal({ status: 'done', gone: [] })
  })
})
