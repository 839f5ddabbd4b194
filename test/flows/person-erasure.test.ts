/** The end of a person: what they are known by goes from everything, and what they did stays. */
import { expect } from 'chai'
import { eraseDue } from '#config/tenant/erase.ts'
import { settleMs } from '#config/tenant/delete.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { erasureTools } from '#config/tenant/tend-tenants.ts'
import { commanded, tidemark } from '#test/harness/command.ts'
import { calm } from '#test/harness/chat.ts'
import {
  address,
  advance,
  ask,
  founded,
  invited,
  login,
  password,
  person,
  resetClock,
  type Founder,
} from '#test/harness/people.ts'
import { tenantOf, testProduct, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'
import { everywhere, nowhere } from '#test/harness/traces.ts'

async function erased(): Promise<void> {
  const { connections, product } = await testProduct()
  const failures: unknown[] = []
  const report = { info: () => {}, warn: (failure: object) => void failures.push(failure), error: () => {} }
  await eraseDue({ ...erasureTools(connections, product), report })
  expect(failures).to.deep.equal([])
}

/** Who is one of two owners, has said and made things, and whose address others have written down. */
async function known(): Promise<{ ana: Founder; ben: Founder; org: Tenant; near: string }> {
  const ana = await founded('Acme')
  const ben = await invited(ana, 'owner')
  const org = await tenantOf(ana.orgId)
  // Another address that ends like hers.
  const near = `x-${ana.email}`
  const by = (path: string, body: unknown) => ask('POST', path, { token: ana.accessToken, body })
  const channel = (email: string) =>
    by('/notifications/channels', { type: 'email', name: `To ${email}`, config: { email } })
  const at = { cloudAccountId: 'acct-1', provider: 'aws' as const, region: 'us-east-1', type: 'aws-ec2' }
  await org.publish(resourceDiscovered, [{ ...at, resourceUid: 'i-1', name: 'web', status: 'running' }])
  const made = [
    await channel(ana.email),
    await channel(near),
    await by('/overrides', {
      scopeType: 'resource',
      scopeID: 'i-1',
      desiredState: 'running',
      expiresAt: new Date(Date.now() + 86_400_000).toISOString(),
      reason: `Ask\n${ana.email.toUpperCase()}, or Ben`,
    }),
    await by('/teams', { name: `Team of ${ana.email}` }),
    await by('/settings/personal-access-tokens', { name: 'ci' }),
    await ask('POST', '/auth/second-factor', { token: ana.accessToken, body: { password } }),
  ]
  expect(made.filter(({ status }) => status >= 300).map(({ body }) => body)).to.deep.equal([])
  await calm(org)
  return { ana, ben, org, near }
}

describe('a person who erases themselves [GEN-10]', () => {
  let f: Awaited<ReturnType<typeof known>>
  let pseudonym: string
  before(async () => {
    await resetClock()
    f = await known()
  })
  after(resetClock)

  const erase = (who: Founder, body: object) => ask('DELETE', '/auth/me', { token: who.accessToken, body })

  it('is told before what is known of them, without secrets', async () => {
    const { status, body } = await ask('GET', '/auth/me/export', { token: f.ana.accessToken })
    expect(status).to.equal(200)
    const { person: account, records } = body.data
    expect(account).to.include({ id: f.ana.userId, email: f.ana.email, name: 'Ana' })
    expect(account).to.not.have.property('password_hash')
    expect(records.member.map((row: any) => [row.org_id, row.role_id])).to.deep.equal([[f.ana.orgId, 'owner']])
    expect(records.security_event.map((row: any) => row.type)).to.include('organization_created')
    expect(records.personal_access_token[0]).to.include({ name: 'ci' }).and.not.have.property('hash')
    expect(await tidemark('person', 'export', f.ana.email)).to.deep.include({ person: account })
  })

  it('types their address and password, and is no last owner', async () => {
    const alone = await founded('Alone')
    const answers = [
      await erase(f.ana, { email: f.ben.email, password }),
      await erase(f.ana, { email: f.ana.email, password: 'another one' }),
      await erase(alone, { email: alone.email, password }),
    ]
    expect(answers.map(({ status, body }) => [status, body.code])).to.deep.equal([
      [400, 'validation_failed'],
      [403, 'invalid_password'],
      [409, 'invalid_transition'],
    ])
    expect((await ask('GET', '/auth/me', { token: f.ana.accessToken })).status).to.equal(200)
  })

  it('is called by a pseudonym from then on, everywhere, and nobody else is', async () => {
    const { status, body } = await erase(f.ana, { email: f.ana.email, password })
    expect(status).to.equal(202)
    pseudonym = body.data.pseudonym
    expect(pseudonym).to.match(/^erased-[0-9a-f]{12}$/)
    await calm(f.org)
    await erased()
    const mail = `${pseudonym}@erased.invalid`
    const channels = (await f.org.get('/notifications/channels')).body.data
    const items = channels.items ?? channels
    expect(items.map((one: any) => one.config.email)).to.have.members([mail, f.near])
    const teams = (await f.org.get('/teams')).body.data
    expect((teams.items ?? teams).map((one: any) => one.name)).to.deep.equal([`Team of ${mail}`])
    // Rows of the near address hold hers as a part.
    await f.org.connections.store.pool.query('delete from notification_channel where org_id = $1 and email = $2', [
      f.org.orgId,
      f.near,
    ])
    expect(await everywhere(f.org, f.ana.email)).to.deep.equal(nowhere)
  })

  it('has no session, token, second factor or membership any more, and the account opens no more', async () => {
    expect((await ask('GET', '/auth/me', { token: f.ana.accessToken })).status).to.equal(401)
    expect(await login(f.ana.email).catch(() => 'refused')).to.equal('refused')
    const { pool } = f.org.connections.store
    const held = await pool.query<{ name: string }>(
      `select table_name as name from information_schema.columns where table_schema = current_schema() and column_name = 'user_id'`,
    )
    const left: string[] = []
    for (const { name } of held.rows)
      if ((await pool.query(`select from "${name}" where user_id::text = $1 limit 1`, [f.ana.userId])).rowCount)
        left.push(name)
    expect(left.toSorted()).to.deep.equal(['override', 'person_erasure', 'security_event'])
    const { rows } = await pool.query('select email, name, password_hash from app_user where id = $1', [f.ana.userId])
    expect(rows).to.deep.equal([{ email: `${pseudonym}@erased.invalid`, name: pseudonym, password_hash: null }])
  })

  it('is in the trail by the pseudonym, and may come again as somebody new', async () => {
    const trail = (await f.org.get('/security-events?limit=200')).body.data.items as any[]
    expect(trail.find(({ type }) => type === 'person_erased')).to.deep.include({
      userID: f.ana.userId,
      email: `${pseudonym}@erased.invalid`,
    })
    const again = await person(f.ana.email)
    expect((await ask('GET', '/organisations', { token: again.accessToken })).body.data).to.deep.equal([])
    await advance(settleMs / 1000 + 1)
    await erased()
    expect(
      (await f.org.connections.store.pool.query('select from person_erasure where user_id = $1', [f.ana.userId]))
        .rowCount,
    ).to.equal(0)
  })

  deepIt('is erased by an operator too, who types the address twice', async () => {
    const { email } = await person(address())
    await commanded('person', 'erase', email, '--confirm', 'x@example.com').then(
      () => expect.fail('was taken'),
      (error: { code: number }) => expect(error.code).to.equal(2),
    )
    const made = await tidemark('person', 'erase', email, '--confirm', email)
    const world = await testProduct()
    const { postgres, clickhouse } = await everywhere(world, email)
    expect([made.pseudonym.length, postgres, clickhouse]).to.deep.equal([19, [], []])
  })
})
