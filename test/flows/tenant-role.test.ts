import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import pg from 'pg'
import { migrate } from '#engine/store/migrate.ts'
import { tenantRole } from '#engine/actor/tenant-policy.ts'
import { postgresMigrations } from '#config/state/connect.ts'
import { testStores } from '#test/harness/stores.ts'
import { deepIt } from '#test/harness/tier.ts'

/** The role may be there already: it is one of the whole server. */
const roleMade = `do $$ begin create role ${tenantRole} nologin; exception when duplicate_object then null; end $$`

/** A database of its own and the user who owns it, who is no administrator; `grant` runs between the two. */
async function owned(more: string, grant: (user: string) => string[]): Promise<string> {
  const { url } = (await testStores()).postgres
  const admin = new pg.Client(url)
  await admin.connect()
  const user = `u${randomUUID().slice(0, 8)}`
  const statements = [`create role ${user} login ${more} password 'x'`, `create database ${user} owner ${user}`]
  for (const statement of [...statements, ...grant(user)]) await admin.query(statement)
  await admin.end()
  return Object.assign(new URL(url), { username: user, password: 'x', pathname: `/${user}` }).href
}

/** What a connection of the edge sees there before it names an organization. */
async function asTenant(url: string): Promise<unknown> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    await client.query(`set role ${tenantRole}`)
    return (await client.query('select count(*)::int as members from member')).rows
  } finally {
    await client.end()
  }
}

describe('a database whose owner is no administrator [GEN-10]', () => {
  it('is migrated by an owner who may create roles', async () => {
    const url = await owned('createrole', (user) => [roleMade, `grant ${tenantRole} to ${user} with admin option`])
    await migrate(url, postgresMigrations)
    expect(await asTenant(url)).to.deep.equal([{ members: 0 }])
  })

  deepIt('is migrated by any owner, once an administrator has made and granted the role', async () => {
    const url = await owned('', (user) => [roleMade, `grant ${tenantRole} to ${user}`])
    await migrate(url, postgresMigrations)
    expect(await asTenant(url)).to.deep.equal([{ members: 0 }])
  })

  it('is refused at once for an owner who can neither make the role nor work in it', async () => {
    const url = await owned('', () => [])
    const failure = await migrate(url, postgresMigrations).catch((error: Error) => error.message)
    expect(failure).to.match(/permission denied to (?:create|set) role/)
  })
})
