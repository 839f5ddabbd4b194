import { randomUUID } from 'node:crypto'
import { expect } from 'chai'
import { makeSource } from '#actors/kubernetes/change.ts'
import type { RecordChange } from '#engine/run/tell.ts'
import { resourceDiscovered } from '#streams/resource/messages.ts'
import { tenant, type Answer, type Tenant } from '#test/harness/product.ts'

/** Nobody listens there. */
const url = 'https://127.0.0.1:9/prometheus'
const given = { cloudAccountID: 'acct-1', clusterUID: 'arn:aws:eks:eu-west-1:1:cluster/shop', url }
const path = '/kubernetes/sources'

describe('sources of the usage of clusters', () => {
  let org: Tenant
  beforeEach(async () => {
    org = await tenant()
    const web = { provider: 'aws' as const, region: 'eu-west-1', resourceUid: 'i-1', name: 'web', type: 'aws-ec2' }
    const accounts = ['acct-1', 'acct-2']
    await org.publish(
      resourceDiscovered,
      accounts.map((cloudAccountId) => ({ ...web, cloudAccountId })),
    )
  })

  const made = async (more: object = {}): Promise<any> => {
    const { status, body } = await org.send('POST', path, { ...given, ...more })
    expect(status, JSON.stringify(body)).to.equal(201)
    return body.data
  }
  const kept = async (id: string) => {
    const sql = 'select headers, reading_id from kubernetes_source where org_id = $1 and id = $2'
    return (await org.connections.store.pool.query(sql, [org.orgId, id])).rows[0]
  }
  const errors = ({ status, body }: Answer) => [
    status,
    body.errors?.map((e: any) => `${e.name} ${e.code}`) ?? body.code,
  ]

  it('are made, listed, shown and deleted, and nobody is shown what headers they send', async () => {
    const headers = { Authorization: 'Bearer secret-1', 'X-Scope-OrgID': 'shop' }
    const full = { clusterName: 'shop', provider: 'aws', matchers: ['cluster="shop"'], enabled: false }
    const first = await made({ ...full, headers })
    const { id, createdAt, updatedAt, ...rest } = first
    expect(rest).to.deep.equal({
      ...given,
      ...full,
      orgID: org.orgId,
      hasHeaders: true,
      state: { through: null, failure: null, gaps: [] },
    })
    expect([createdAt, Date.parse(createdAt) > 0]).to.deep.equal([updatedAt, true])
    const second = await made({ cloudAccountID: 'acct-2' })
    expect(second).to.include({ clusterName: null, provider: null, enabled: true, hasHeaders: false })
    expect(second.matchers).to.deep.equal([])
    const listed = (await org.get(path)).body.data
    expect([listed.items, listed.total]).to.deep.equal([[first, second], 2])
    expect((await org.get(`${path}?cloudAccountID=acct-2`)).body.data.items).to.deep.equal([second])
    expect((await org.get(`${path}/${id}`)).body.data).to.deep.equal(first)
    expect((await kept(id)).headers)
      .to.be.a('string')
      .and.not.include('secret-1')
    expect(JSON.stringify([first, listed])).to.not.include('secret-1')
    expect((await org.send('DELETE', `${path}/${id}`)).status).to.equal(204)
    expect((await org.get(`${path}/${id}`)).status).to.equal(404)
  })

  it('change by what is given: headers go no further than they were given for, and another cluster is read anew', async () => {
    const { id } = await made({ headers: { Authorization: 'Bearer secret-1' } })
    const before = await kept(id)
    const changed = async (body: object) => (await org.send('PATCH', `${path}/${id}`, body)).body.data
    expect(await changed({ enabled: false, url: 'https://127.0.0.1:9/other' })).to.include({
      enabled: false,
      url: 'https://127.0.0.1:9/other',
      hasHeaders: true,
    })
    expect(await kept(id)).to.deep.equal(before)
    expect(await changed({ url: 'https://127.0.0.1:10' })).to.include({ hasHeaders: false, enabled: false })
    expect((await changed({ matchers: ['a="b"'] })).matchers).to.deep.equal(['a="b"'])
    const anew = await kept(id)
    expect(anew.reading_id).to.not.equal(before.reading_id)
    expect(await changed({ clusterName: null, matchers: ['a="b"'] })).to.include({ clusterName: null })
    expect(await kept(id)).to.deep.equal(anew)
    expect((await changed({ headers: { Authorization: 'x' } })).hasHeaders).to.equal(true)
    expect((await changed({ headers: {} })).hasHeaders).to.equal(false)
  })

  it('are refused where they cannot be read, whose account there is not, or who have one already', async () => {
    const sent = async (more: object) => errors(await org.send('POST', path, { ...given, ...more }))
    expect(await sent({ url: 'ftp://prometheus.example.com' })).to.deep.equal([400, ['/url address_refused']])
    expect(await sent({ url: 'https://user:word@prometheus.example.com' })).to.deep.equal([
      400,
      ['/url address_refused'],
    ])
    expect(await sent({ url: 'https://prometheus.example.com/?a=b' })).to.deep.equal([400, ['/url address_refused']])
    expect(await sent({ matchers: ['a="b"', 'a="b"} or up{'] })).to.deep.equal([400, ['/matchers/1 format']])
    expect((await sent({ headers: { Host: 'x' } }))[0]).to.equal(400)
    expect((await sent({ headers: { 'X-A': 'a\r\nb' } }))[0]).to.equal(400)
    expect((await sent({ clusterUID: ' ' }))[0]).to.equal(400)
    expect((await sent({ provider: 'ibm' }))[0]).to.equal(400)
    expect((await sent({ enabled: 'yes' }))[0]).to.equal(400)
    expect((await sent({ other: 1 }))[0]).to.equal(400)
    expect(await sent({ cloudAccountID: 'none' })).to.deep.equal([404, 'not_found'])
    await made()
    expect(await sent({})).to.deep.equal([409, 'already_exists'])
    for (const wrong of ['none', randomUUID()])
      for (const method of ['GET', 'PATCH', 'DELETE'])
        expect((await org.send(method, `${path}/${wrong}`, method === 'PATCH' ? {} : undefined)).status).to.equal(404)
    const other = await tenant()
    const { id } = (await org.get(path)).body.data.items[0]
    expect((await other.get(`${path}/${id}`)).status).to.equal(404)
    expect((await other.send('DELETE', `${path}/${id}`)).status).to.equal(404)
  })

  it('lead into no private network unless that is allowed', async () => {
    const em = { create: (_: unknown, row: object) => row, execute: async () => [] }
    const change = { em, orgId: 'o', now: () => new Date() }
    const closed = { seal: () => '', allowPrivate: false }
    Object.assign(change.em, { findOne: async () => ({ id: 'acct-1' }) })
    for (const inside of [
      'https://10.0.0.1',
      'https://[::1]:9090',
      'http://prometheus.example.com',
      'https://169.254.169.254/',
    ]) {
      const error = await makeSource(change as unknown as RecordChange, { ...given, url: inside }, closed).catch(
        (e: unknown) => e,
      )
      expect(error, inside).to.include({ kind: 'invalid' })
    }
  })
})
