import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import { localApi } from '#config/command/line/route.ts'
import type { Instance } from '#config/product/instance.ts'
import { assembleProduct } from '#config/product/open-instance.ts'
import { commanded, tidemark } from '#test/harness/command.ts'
import { tenant, until, type Tenant } from '#test/harness/product.ts'
import { deepIt } from '#test/harness/tier.ts'

describe('a route that a command carries out', () => {
  let org: Tenant
  let instance: Instance
  const body = {
    domain: 'tagging',
    targetType: 'organisation',
    name: 'Location',
    spec: { tag: { key: 'location', value: { fields: ['res.region'], join: '-', standardize: true } } },
    enabled: true,
  }
  const named = async () =>
    (
      await localApi(instance, org.orgId).ask<{ items: { name: string; version: number }[] }>('GET /policies')
    ).items.map(({ name, version }) => [name, version])

  before(async () => {
    org = await tenant()
    const { connections } = org
    const { settings } = connections
    const applyStreamUsers = async () => true
    instance = {
      ...assembleProduct(connections),
      settings,
      isRunning: true,
      url: undefined,
      publicUrl: undefined,
      natsUrl: '',
      applyStreamUsers,
    }
  })

  it('does what the API does, in the name of the operator', async () => {
    const { id } = await localApi(instance, org.orgId).ask<{ id: string }>('POST /policies', { body })
    const changed = { body: { ...body, name: 'Place' }, params: { policyID: id } }
    await localApi(instance, org.orgId).ask('PUT /policies/:policyID', changed)
    expect(await named()).to.deep.equal([['Place', 2]])
    await localApi(instance, org.orgId).ask('DELETE /policies/:policyID', { params: { policyID: id } })
    expect(await named()).to.deep.equal([])
    const events = async () =>
      (await org.get('/security-events?limit=100')).body.data.items
        .filter(({ type }: any) => type.startsWith('policy_'))
        .map(({ type, principal }: any) => `${type} ${principal}`)
    await until('the events', async () => (await events()).length === 3)
    expect(await events()).to.have.members([
      'policy_created operator',
      'policy_changed operator',
      'policy_deleted operator',
    ])
  })

  it('refuses what the API refuses, naming the place', async () => {
    const wrong = {
      ...body,
      spec: { tag: { ...body.spec.tag, value: { ...body.spec.tag.value, fields: ['res.tags'] } } },
    }
    const refused = await localApi(instance, org.orgId)
      .ask('POST /policies', { body: wrong })
      .catch((error: Error) => error)
    expect((refused as Error).message).to.contain('/spec/tag/value/fields/0')
    for (const day of ['tomorrow', '2026-13-15', '2026-02-30']) {
      const rate = { params: { currency: 'EUR', day }, body: { usdPerUnit: '1.1' } }
      const unset = await localApi(instance, org.orgId)
        .ask('PUT /exchange-rates/:currency/:day', rate)
        .catch((error: Error) => error)
      expect((unset as Error).message, day).to.contain('path day')
    }
    expect((await localApi(instance, org.orgId).ask<{ items: unknown[] }>('GET /exchange-rates')).items).to.deep.equal(
      [],
    )
  })

  it('reads while no product runs, and changes nothing then', async () => {
    const resting = { ...instance, isRunning: false }
    const { total } = await localApi(resting, org.orgId).ask<{ total: number }>('GET /policies')
    const refused = await localApi(resting, org.orgId)
      .ask('POST /policies', { body })
      .catch((error: Error) => error)
    expect([total, (refused as Error).message]).to.deep.equal([
      0,
      'Tidemark is not running. Start it with "npm start", then run this command again.',
    ])
  })

  it('finds nothing in an organization that there is not', async () => {
    const refused = await commanded('policy', 'list', '--org', 'nobody').catch((error) => error)
    expect(refused.stderr).to.equal(
      'tidemark policy list: Organization nobody was not found. Run "tidemark org list" to see all organizations.\n',
    )
  })
})

describe('the command that calls any route of the API', () => {
  let org: Tenant
  let of: string[]
  before(async () => {
    org = await tenant()
    of = ['--org', org.orgId]
  })
  const failed = (...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> =>
    commanded('api', ...args, ...of).then(
      () => expect.fail('it succeeded'),
      (error) => error,
    )

  it('prints what the API responds, as JSON', async () => {
    const answer = (await org.get('/resource-groups?limit=5')).body
    expect(await tidemark('api', 'GET', '/resource-groups?limit=5', ...of)).to.deep.equal(answer)
    const { stdout } = await commanded('api', 'get', '/resource-groups?limit=5', ...of)
    expect(stdout).to.equal(`${JSON.stringify(answer, null, 2)}\n`)
  })

  it('changes what the API changes, by a body that is typed or in a file, and says who did it', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'api-'))
    await writeFile(path.join(folder, 'group.json'), '{"name":"Shop"}')
    const args = ['api', 'POST', '/resource-groups', ...of, '--body']
    const { id } = (await tidemark(...args, `@${folder}/group.json`)).data as { id: string }
    const other = (await tidemark(...args, '{"name":"Pay"}')).data as { id: string }
    await rm(folder, { recursive: true })
    const named = async () =>
      (await org.get('/resource-groups')).body.data.items.map(({ name }: any) => name).toSorted()
    expect(await named()).to.deep.equal(['Pay', 'Shop'])
    expect((await commanded('api', 'DELETE', `/resource-groups/${id}`, ...of)).stdout).to.equal('null\n')
    expect(await tidemark('api', 'DELETE', `/resource-groups/${other.id}`, ...of)).to.equal(null)
    expect(await named()).to.deep.equal([])
  })

  deepIt('ends with 1 and the reason where the API refuses, and with 2 where it was mistyped', async () => {
    const wrong = await failed('POST', '/resource-groups', '--body', '{"colour":"red"}')
    expect([wrong.code, wrong.stderr]).to.deep.equal([
      1,
      'tidemark api: body /name: is required; body /colour: is not a known field; did you mean name?\n',
    ])
    const stray = await failed('GET', '/resource-groups?colour=red', '--json')
    expect([stray.code, JSON.parse(stray.stdout).error.code]).to.deep.equal([1, 'invalid_parameter'])
    const nowhere = await failed('GET', '/nowhere')
    expect([nowhere.code, nowhere.stderr]).to.deep.equal([1, 'tidemark api: No such path.\n'])
    const mine = await failed('GET', '/auth/me')
    expect([mine.code, mine.stderr]).to.deep.equal([
      1,
      'tidemark api: Only a signed-in user, a directory or a service can call this route.\n',
    ])
    const cases: [string[], string][] = [
      [['FETCH', '/policies'], 'METHOD must be one of GET, POST, PUT, PATCH, DELETE, got FETCH'],
      [['GET', 'policies'], 'PATH must start with /, got policies'],
      [['POST', '/resource-groups', '--body', '{name}'], '--body must be JSON, or @ and a file with JSON'],
    ]
    for (const [args, message] of cases) {
      const { code, stderr } = await failed(...args)
      expect([code, stderr.startsWith(`tidemark api: ${message}`)], stderr).to.deep.equal([2, true])
    }
  })
})
