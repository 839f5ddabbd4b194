import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { sweepDeadLetters } from '#config/upkeep/dead-letter.ts'
import { tokens } from '#config/wiring/tokens.ts'
import { letterId, letterPurpose } from '#http/dead-letter/name.ts'
import { ask as asking, colleague, founder, type Founder } from '#test/harness/people.ts'
import { testProduct, until } from '#test/harness/product.ts'

const ask = (method: string, path: string, { accessToken: token }: Founder, body?: unknown) =>
  asking(method, path, { token, ...(body !== undefined && { body }) })

describe('messages that were set aside, by REST', () => {
  let a: Founder
  let b: Founder
  before(async () => {
    a = await founder()
    b = await founder()
  })

  const sample = (orgId: string, uid: string) => ({
    id: randomUUID(),
    type: 'resource.discovered',
    schemaVersion: 1,
    orgId,
    time: new Date().toISOString(),
    data: {
      resourceUid: uid,
      name: uid,
      type: 'aws-ec2',
      provider: 'aws',
      cloudAccountId: 'acct',
      region: 'r',
      tags: {},
    },
  })
  const publish = async (orgId: string, body: unknown, kind = 'resource') => {
    const { log } = (await testProduct()).connections
    await log.publish({ subject: `ingest.${kind}.${orgId}.acct`, id: randomUUID(), body: JSON.stringify(body) })
  }
  const letters = async (who: Founder, query = '') => (await ask('GET', `/dead-letters${query}`, who)).body.data
  const waiting = (who: Founder, count: number, query = '') =>
    until(`${count} letters`, async () => (await letters(who, query)).total >= count)

  it('are those of the organization alone, newest first, by code and type, each with its reason and its body', async () => {
    await publish(a.orgId, { ...sample(a.orgId, 'u1'), type: 'no.such' })
    await waiting(a, 1)
    await publish(a.orgId, { ...sample(a.orgId, 'u2'), data: {} })
    await waiting(a, 2)
    const { items, total } = await letters(a)
    expect(total).to.equal(2)
    expect(
      items.map((item: any) => [item.code, item.type, item.subject, item.replayable, item.replayedAt]),
    ).to.deep.equal([
      ['validation_failed', 'resource.discovered', `ingest.resource.${a.orgId}.acct`, true, null],
      ['unknown_type', 'no.such', `ingest.resource.${a.orgId}.acct`, true, null],
    ])
    expect((await letters(a, '?code=unknown_type')).items.map((item: any) => item.id)).to.deep.equal([items[1].id])
    expect((await letters(a, '?type=resource.discovered')).items.map((item: any) => item.id)).to.deep.equal([
      items[0].id,
    ])
    const { body: counted } = await ask('GET', '/dead-letters/counts', a)
    expect(counted.data).to.deep.equal([
      { code: 'unknown_type', type: 'no.such', count: 1, waiting: 1, newestAt: items[1].at },
      { code: 'validation_failed', type: 'resource.discovered', count: 1, waiting: 1, newestAt: items[0].at },
    ])
    const { body } = await ask('GET', `/dead-letters/${items[0].id}`, a)
    expect([items[0].preview, body.data.preview]).to.deep.equal([body.data.body.slice(0, 300), items[0].preview])
    expect((await ask('GET', '/dead-letters/counts', b)).body.data).to.deep.equal([])
    expect(JSON.parse(body.data.body).data).to.deep.equal({})
    expect(await letters(b)).to.include({ total: 0 })
    for (const [method, path] of [
      ['GET', ''],
      ['POST', '/replay'],
    ] as const) {
      const foreign = await ask(method, `/dead-letters/${items[0].id}${path}`, b)
      expect([foreign.status, foreign.body.code]).to.deep.equal([404, 'not_found'])
    }
  })

  it('are for administrators', async () => {
    const viewer = await colleague(a, 'viewer')
    for (const [method, path, body] of [
      ['GET', '/dead-letters', undefined],
      ['POST', '/dead-letters/replay', {}],
    ] as const)
      expect((await ask(method, path, viewer, body)).status).to.equal(403)
  })

  it('are sent again one by one or all that wait, as they were, and say when', async () => {
    const who = await founder()
    const { store } = (await testProduct()).connections
    // A message whose type was not known when it came, as before an upgrade: its bytes are kept.
    await publish(who.orgId, { ...sample(who.orgId, 'again-1'), type: 'no.such' })
    await publish(who.orgId, { ...sample(who.orgId, 'again-2'), type: 'no.such' })
    await waiting(who, 2)
    const mend = async (letter: string, uid: string) =>
      store.pool.query('update dead_letter set body = $2 where id = $1', [
        letterId(letter, (await testProduct()).product.get(tokens.identity).secretsFor(letterPurpose)),
        JSON.stringify(sample(who.orgId, uid)),
      ])
    const { items } = await letters(who)
    await mend(items[0].id, 'again-1')
    await mend(items[1].id, 'again-2')
    const one = await ask('POST', `/dead-letters/${items[0].id}/replay`, who)
    expect([one.status, one.body.data]).to.deep.equal([200, { replayed: 1, ids: [items[0].id] }])
    const rest = await ask('POST', '/dead-letters/replay', who, { code: ['unknown_type'] })
    expect(rest.body.data).to.deep.equal({ replayed: 1, ids: [items[1].id] })
    expect((await letters(who, '?replayed=false')).total).to.equal(0)
    for (const item of (await letters(who, '?replayed=true')).items) expect(item.replayedAt).to.be.a('string')
    for (const uid of ['again-1', 'again-2'])
      await until(uid, async () => (await ask('GET', `/resources/by-uids?uids=${uid}`, who)).body.data.length === 1)
  })

  it('that the service told itself are shown, and sent again by operators alone', async () => {
    const who = await founder()
    await publish(who.orgId, { ...sample(who.orgId, 'x'), type: 'no.such' }, 'actor')
    await waiting(who, 1)
    const { items } = await letters(who)
    expect(items[0].replayable).to.equal(false)
    const refused = await ask('POST', `/dead-letters/${items[0].id}/replay`, who)
    expect([refused.status, refused.body.code]).to.deep.equal([422, 'not_replayable'])
    expect((await ask('POST', '/dead-letters/replay', who, {})).body.data.replayed).to.equal(0)
  })

  it('are kept for 30 days, and of one organization the newest gigabyte', async () => {
    const { connections } = await testProduct()
    const { store, settings } = connections
    const [full, other] = [randomUUID(), randomUUID()]
    const insert = `insert into dead_letter (id, lane, seq, org_id, subject, type, message_id, actor, code, reason, attempts, headers, body, at)
      select $1 || n, 0, n, $1, 'ingest.billing.x.y', '', '', '', 'c', '', 0, '{}', decode(repeat('00', $2), 'hex'), now() - n * interval '1 hour'
      from generate_series(0, $3::int - 1) n`
    await store.pool.query(insert, [full, 1000, 10])
    await store.pool.query(insert, [other, 1000, 2])
    await store.pool.query(`update dead_letter set at = now() - interval '31 days' where id = $1`, [`${other}1`])
    const held = { ...settings, deadLettersKeepBytes: 1300 * 3 }
    const before = (await store.pool.query('select count(*)::int as n from dead_letter')).rows[0].n
    await sweepDeadLetters({ ...connections, settings: { ...settings, deadLettersKeepDays: 30 } })
    const ids = async (org: string) =>
      (await store.pool.query('select id from dead_letter where org_id = $1 order by id', [org])).rows.map(
        ({ id }) => id,
      )
    expect(await ids(other)).to.deep.equal([`${other}0`])
    expect(await ids(full)).to.have.length(10)
    const dropped = await sweepDeadLetters({ ...connections, settings: held })
    expect(await ids(full)).to.deep.equal([0, 1, 2].map((n) => `${full}${n}`))
    expect(dropped).to.be.within(7, before)
    expect(settings).to.include({ deadLettersKeepDays: 30, deadLettersKeepBytes: 1_073_741_824 })
  })
})
