import { expect } from 'chai'
import type { Static } from '#engine/value/schema.ts'
import { resourceDeleted, resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Tenant } from '#test/harness/product.ts'

type Discovered = Static<typeof resourceDiscovered.schema>

const place = { provider: 'aws', cloudAccountId: 'acct-1', region: 'us-east-1' } as const
const type = 'aws-ebs-volume'
const volume = (n: number, specs: Discovered['specs'], name = `data-${String(n).padStart(3, '0')}`): Discovered => ({
  ...place,
  resourceUid: `vol-${n}`,
  name,
  type,
  ...(specs && { specs }),
})
/** 148 volumes, each twelfth or thirteenth of which is attached: 11 of them, 137 are not. */
const volumes = Array.from({ length: 148 }, (_, i) =>
  volume(i, {
    attached: i % 14 === 0,
    volume_type: i < 40 ? 'gp2' : 'gp3',
    iops: i,
    zones: ['a', i % 2 === 0 ? 'b' : 'c'],
  }),
)

describe('what producers say of resources beyond their fields', () => {
  let org: Tenant
  let other: Tenant
  const uids = (r: { body: any }): string[] => r.body.data.map(({ uid }: { uid: string }) => uid)
  const count = async (query: string, of = org): Promise<number> =>
    (await of.get(`/resources/count?${query}`)).body.data.count
  const idOf = async (uid: string, of = org): Promise<string> =>
    (await of.get(`/resources/by-uids?uids=${uid}`)).body.data[0].id

  before(async () => {
    org = await tenant()
    other = await tenant()
    await org.publish(resourceDiscovered, [
      ...volumes,
      volume(900, { attached: null, 'odd.name': 'x', 'a]b': 'y', deep: { attached: false } }, 'null'),
      volume(901, undefined, 'silent'),
      { ...place, resourceUid: 'i-1', name: 'web', type: 'aws-ec2', specs: { attached: 'false' } },
      volume(902, { attached: false }, 'gone'),
    ])
    await org.publish(resourceDeleted, [{ resourceUid: 'vol-902', provider: 'aws', cloudAccountId: 'acct-1' }])
    await other.publish(resourceDiscovered, [
      volume(1, { attached: false, secret: 's' }),
      volume(2, { attached: true }),
    ])
  })

  it('filters the list and its count: 137 of 148 volumes are attached to nothing', async () => {
    const free = `type=${type}&filter[specs.attached]=false`
    expect(await count(free)).to.equal(137)
    expect(await count(`type=${type}&filter[specs.attached]=true`)).to.equal(11)
    expect(await count(`type=${type}&filter[specs.attached]=true&filter[specs.attached]=false`)).to.equal(148)
    expect(await count('filter[specs.attached]=false')).to.equal(138)
    expect(await count(`type=${type}`)).to.equal(150)
  })

  it('keeps pages, links and totals of a filtered list', async () => {
    const free = `type=${type}&filter[specs.attached]=false&limit=100`
    const [first, second] = [await org.get(`/resources?${free}`), await org.get(`/resources?${free}&page=2`)]
    const wanted = volumes.filter((_, i) => i % 14 !== 0).map(({ resourceUid }) => resourceUid)
    expect([...uids(first), ...uids(second)]).to.deep.equal(wanted)
    expect(uids(first)).to.have.length(100)
    expect([first, second].map((r) => r.headers.get('x-total-count'))).to.deep.equal(['137', '137'])
    const [, next] = /^<([^>]+)>; rel="next"$/.exec(first.headers.get('link') ?? '') ?? []
    expect(uids(await org.get(next!))).to.deep.equal(uids(second))
  })

  it('compares texts, numbers and truths as text, and looks into lists; several names must all hold', async () => {
    expect(uids(await org.get('/resources?filter[specs.iops]=17'))).to.deep.equal(['vol-17'])
    expect(await count('filter[specs.volume_type]=gp2')).to.equal(40)
    expect(await count('filter[specs.volume_type]=gp2&filter[specs.attached]=true')).to.equal(3)
    expect(await count('filter[specs.zones]=a')).to.equal(148)
    expect(await count('filter[specs.zones]=c')).to.equal(74)
    expect(await count('filter[specs.volume_type]=gp2&search=data-00')).to.equal(10)
    expect(await count('filter[specs.volume_type]=GP2')).to.equal(0)
    expect(await count(`filter[specs.volume_type]=${encodeURIComponent("' OR '1'='1")}`)).to.equal(0)
  })

  it('takes names as they are, and finds nothing by those that nothing has', async () => {
    expect(uids(await org.get('/resources?filter[specs.odd.name]=x'))).to.deep.equal(['vol-900'])
    expect(uids(await org.get(`/resources?filter[specs.${encodeURIComponent('a]b')}]=y`))).to.deep.equal(['vol-900'])
    for (const name of ['colour', 'deep.attached', "a' || 'b", '%', '__proto__']) {
      expect(await count(`filter[specs.${encodeURIComponent(name)}]=false`), name).to.equal(0)
    }
    const strange = await org.get('/resources?filter[attached]=false')
    expect([strange.status, strange.body.code]).to.deep.equal([400, 'invalid_parameter'])
    expect(strange.body.detail).to.contain('did you mean filter[specs.NAME]?')
  })

  it('shows them at a path of their own: the record of a resource has the fields of the interface alone [RES-02] [GEN-14]', async () => {
    const id = await idOf('vol-17')
    const { body } = await org.get(`/resources/${id}/specs`)
    const { observedAt, ...rest } = body.data
    expect(rest).to.deep.equal({ id, uid: 'vol-17', type, specs: volumes[17]!.specs })
    expect(Date.parse(observedAt)).to.be.above(0)
    expect((await org.get(`/resources/${id}`)).body.data).to.not.have.property('specs')
    expect((await org.get(`/resources/${await idOf('vol-901')}/specs`)).body.data.specs).to.deep.equal({})
    for (const unknown of ['nothing', '00000000-0000-4000-8000-000000000000']) {
      expect((await org.get(`/resources/${unknown}/specs`)).status, unknown).to.equal(404)
    }
  })

  it('shows and counts nothing of another organization [GEN-10]', async () => {
    expect(await count('filter[specs.attached]=false', other)).to.equal(1)
    expect(uids(await other.get('/resources?filter[specs.attached]=true'))).to.deep.equal(['vol-2'])
    expect((await org.get(`/resources/${await idOf('vol-1', other)}/specs`)).status).to.equal(404)
    expect(await count('filter[specs.secret]=s')).to.equal(0)
  })

  it('gives them to analysts: texts as they are, anything else as JSON', async () => {
    const shown = await org.facts(
      `SELECT resource_uid, specs FROM resources WHERE org_id = {org:String} AND resource_uid IN {uids:Array(String)} ORDER BY resource_uid`,
      { uids: ['vol-17', 'vol-900', 'vol-901'] },
    )
    expect(shown).to.deep.equal([
      { resource_uid: 'vol-17', specs: { attached: 'false', volume_type: 'gp2', iops: '17', zones: '["a","c"]' } },
      { resource_uid: 'vol-900', specs: { 'odd.name': 'x', 'a]b': 'y', deep: '{"attached":false}' } },
      { resource_uid: 'vol-901', specs: {} },
    ])
    const [free] = await org.facts(
      `SELECT count() AS n FROM resources WHERE org_id = {org:String} AND type = {type:String} AND specs['attached'] = 'false' AND deleted_at IS NULL`,
      { type },
    )
    expect(Number(free.n)).to.equal(137)
  })
})
