/** Readiness plans from outside, by the clock: what the cloud has before, during and behind an event. */
import { expect } from 'chai'
import { tokens } from '#config/wiring/tokens.ts'
import { setClock } from '#test/harness/people.ts'
import { atRest, fleetAt } from '#test/harness/control.ts'
import type { Fleet } from '#test/harness/fleet.ts'
import { until } from '#test/harness/product.ts'
import { logOf, made, planOf, statusOf, transitionsOf } from '#test/harness/readiness.ts'
import type { PlanStatus } from '#streams/readiness.ts'
import { deepIt, isDeep } from '#test/harness/tier.ts'

interface Units {
  min: number
  max: number
  desired: number
}

describe('readiness plans from outside', () => {
  let f: Fleet
  afterEach(() => f.end())

  const clock = (at: string) => setClock(new Date(at), f.orgId)
  /** A target of so many units, and its policy. */
  const policy = async (uid: string, { desired, ...bounds }: Units, targetCPUPercent = 70): Promise<string> => {
    await f.discover([uid], 'running', {
      type: 'aws-asg',
      unitCount: desired,
      specs: { ...specs({ desired, ...bounds }) },
    })
    const { status, body } = await f.send('POST', '/autoscaler-policies', {
      name: uid,
      mode: 'autopilot',
      cloudAccountID: f.accountId,
      target: { type: 'aws-asg', uid },
      ...bounds,
      targetCPUPercent,
      cooldownSeconds: 300,
      triggers: [],
    })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data.id as string
  }
  const specs = ({ min, max, desired }: Units) => ({ min_size: min, max_size: max, desired })
  /** As the cloud has it; as its producer told of it where nobody has scaled it. */
  const unitsOf = async (uid: string, rest: Units): Promise<Units> => {
    const { simulated } = f.product.get(tokens.clouds)
    const account = { id: f.accountId, orgId: f.orgId, provider: 'aws', externalId: '', name: '', regions: [] } as const
    const ref = { resourceUid: uid, type: 'aws-asg', region: 'us-east-1', specs: specs(rest) }
    const { capacity } = await simulated.look({ ...account, credentials: null }, ref)
    return capacity ?? rest
  }
  const become = (id: string, status: PlanStatus) =>
    until(`${status} of a plan`, async () => (await statusOf(f, id)) === status)
  const ask = async (id: string) => {
    const answer = await f.send('POST', `/event-readiness/${id}/schedule`)
    expect([answer.status, answer.body]).to.deep.equal([202, { message: 'The plan is being scheduled.', eventId: id }])
  }
  const schedule = async (id: string) => {
    await ask(id)
    await become(id, 'scheduled')
  }
  /** Until everything that is due by the clock has been done. */
  const allDone = async () => {
    const due = 'select from reminder where org_id = $1 and due <= $2'
    const now = () => new Date(f.connections.clock.now())
    await until('no reminder due', async () => {
      const { rowCount } = await f.connections.store.pool.query(due, [f.orgId, now()])
      return rowCount === 0
    })
    await atRest(f)
  }
  /** Once everything that was due has been done, the plan still has this status. */
  const nothingComes = async (id: string, status: PlanStatus) => {
    await allDone()
    expect(await statusOf(f, id)).to.equal(status)
  }

  it('raise to the second and put back to the second [S-20] [EVR-20] [EVR-27] [EVR-28] [EVR-34] [EVR-38] [EVR-40] [EVR-48]', async () => {
    f = await fleetAt('2030-11-29T12:00:00Z')
    const before = { min: 2, max: 10, desired: 4 }
    const raised = { min: 5, max: 22, desired: 9 }
    const id = await made(f, [await policy('web', before)])
    expect(await statusOf(f, id)).to.equal('draft')
    await schedule(id)
    const { targets } = await planOf(f, id)
    expect(targets[0]).to.include({ originalMin: 2, originalMax: 10, originalDesired: 4 })
    // The turns of the plan show in `npm test` that it does nothing before its times and behind its end.
    if (isDeep) {
      await clock('2030-11-29T13:20:00Z')
      await nothingComes(id, 'scheduled')
    }
    await clock('2030-11-29T13:30:00Z')
    await become(id, 'active')
    expect(await unitsOf('web', before)).to.deep.equal(raised)
    const patched = await f.send('PATCH', `/event-readiness/${id}`, { name: 'Later' })
    expect([patched.status, patched.body.code]).to.deep.equal([409, 'plan_not_schedulable'])
    if (isDeep) {
      await clock('2030-11-29T18:35:00Z')
      await nothingComes(id, 'active')
      expect(await unitsOf('web', before)).to.deep.equal(raised)
    }
    await clock('2030-11-29T18:45:00Z')
    await become(id, 'completed')
    expect(await unitsOf('web', before)).to.deep.equal(before)
    expect(await transitionsOf(f, id)).to.deep.equal([
      'draft>scheduling',
      'scheduling>scheduled',
      'scheduled>scaling_up',
      'scaling_up>active',
      'active>scaling_down',
      'scaling_down>completed',
    ])
    const log = await logOf(f, id)
    const at = (status: PlanStatus) => Date.parse(log.find(({ to }) => to === status).createdAt)
    expect(at('scaling_up') - Date.parse('2030-11-29T13:30:00Z')).to.be.within(0, 180_000)
    expect(at('scaling_down') - Date.parse('2030-11-29T18:45:00Z')).to.be.within(0, 180_000)
    if (!isDeep) return
    const lines = log.length
    await clock('2030-11-30T19:00:00Z')
    await nothingComes(id, 'completed')
    expect(await logOf(f, id)).to.have.length(lines)
  })

  deepIt(
    'that are cancelled while active put back at once, and nothing happens at their end [S-20] [EVR-45]',
    async () => {
      f = await fleetAt('2030-11-29T12:00:00Z')
      const before = { min: 2, max: 10, desired: 4 }
      const id = await made(f, [await policy('web', before)])
      await schedule(id)
      await clock('2030-11-29T13:30:00Z')
      await become(id, 'active')
      expect((await f.send('POST', `/event-readiness/${id}/cancel`)).body.data.status).to.equal('cancelled')
      await until('what was before', async () => (await unitsOf('web', before)).desired === 4)
      expect(await unitsOf('web', before)).to.deep.equal(before)
      const lines = async () => (await logOf(f, id)).filter(({ kind }) => kind !== 'callback').length
      const written = await lines()
      await clock('2030-11-29T18:45:00Z')
      await nothingComes(id, 'cancelled')
      expect(await lines()).to.equal(written)
    },
  )

  deepIt('that are deleted while scheduled raise nothing [S-20] [EVR-47]', async () => {
    f = await fleetAt('2030-11-29T12:00:00Z')
    const before = { min: 2, max: 10, desired: 4 }
    const id = await made(f, [await policy('web', before)])
    await schedule(id)
    expect((await f.send('DELETE', `/event-readiness/${id}`)).status).to.equal(204)
    expect((await f.get(`/event-readiness/${id}`)).status).to.equal(404)
    expect((await transitionsOf(f, id)).at(-1)).to.equal('scheduled>cancelled')
    await clock('2030-11-29T13:30:00Z')
    await allDone()
    expect(await unitsOf('web', before)).to.deep.equal(before)
  })

  deepIt('of two targets with other numbers, late by half an hour, raise and put back both [S-20]', async () => {
    f = await fleetAt('2031-03-30T00:30:00Z')
    // 2 x 50 / 70 is 1.428...: 3, 9, 6 and 2, 5, 3. The clock of Berlin jumps over an hour meanwhile; the times are moments.
    const web = { min: 2, max: 6, desired: 4 }
    const api = { min: 1, max: 3, desired: 2 }
    const policies = [await policy('web', web), await policy('api', api, 40)]
    const times = { eventStart: '2031-03-30T00:45:00Z', eventEnd: '2031-03-30T02:10:00Z' }
    const margins = { preScaleMinutes: 45, postEventMinutes: 5 }
    const id = await made(f, policies, { ...times, ...margins, expectedMultiplier: 2 })
    await ask(id)
    await become(id, 'active')
    expect(await unitsOf('web', web)).to.deep.equal({ min: 3, max: 9, desired: 6 })
    expect(await unitsOf('api', api)).to.deep.equal({ min: 2, max: 5, desired: 3 })
    await clock('2031-03-30T02:12:00Z')
    await nothingComes(id, 'active')
    await clock('2031-03-30T02:15:00Z')
    await become(id, 'completed')
    expect([await unitsOf('web', web), await unitsOf('api', api)]).to.deep.equal([web, api])
  })

  deepIt('whose event passes while the engine is away raise nothing [EVR-35]', async () => {
    f = await fleetAt('2030-11-29T12:00:00Z')
    const before = { min: 2, max: 10, desired: 4 }
    const id = await made(f, [await policy('web', before)], { postEventMinutes: 0 })
    await schedule(id)
    await clock('2030-11-29T18:30:00Z')
    await become(id, 'failed')
    expect((await logOf(f, id)).find(({ to }) => to === 'failed').message).to.equal(
      'The window has passed: no target was scaled up.',
    )
    expect(await unitsOf('web', before)).to.deep.equal(before)
  })
})
