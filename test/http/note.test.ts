import { expect } from 'chai'
import { ask, colleague, founder, type Founder } from '#test/harness/people.ts'

describe('notes at days', () => {
  let owner: Founder
  let viewer: Founder
  before(async () => {
    owner = await founder()
    viewer = await colleague(owner, 'viewer')
  })
  const send = ({ accessToken: token }: Founder, method: string, path: string, body?: unknown) =>
    ask(method, path, { token, ...(body !== undefined && { body }) })
  const texts = async (who: Founder, days: string) =>
    (await send(who, 'GET', `/notes?${days}`)).body.data.map(({ day, text }: any) => `${day} ${text}`)

  it('are seen by everybody in the organization on their days, and by nobody else', async () => {
    for (const [day, text] of [
      ['2026-03-02', ' second '],
      ['2026-03-01', 'first'],
      ['2026-04-01', 'later'],
    ])
      expect((await send(owner, 'POST', '/notes', { day, text })).status).to.equal(201)
    expect(await texts(viewer, 'from=2026-03-01&to=2026-03-31')).to.deep.equal([
      '2026-03-01 first',
      '2026-03-02 second',
    ])
    expect(await texts(await founder(), 'from=2026-03-01&to=2026-04-30')).to.deep.equal([])
  })

  it('are made and deleted by those who may create and delete, and have 1 to 200 characters and a day', async () => {
    const good = { day: '2026-05-01', text: 'x'.repeat(200) }
    const made = await send(owner, 'POST', '/notes', good)
    expect(made.body.data).to.include({ ...good, authorID: owner.userId })
    for (const wrong of [{ text: 'x'.repeat(201) }, { text: ' ' }, { day: '2026-02-30' }, { day: 'May' }])
      expect((await send(owner, 'POST', '/notes', { ...good, ...wrong })).status, JSON.stringify(wrong)).to.equal(400)
    const path = `/notes/${made.body.data.id}`
    expect((await send(viewer, 'POST', '/notes', good)).status).to.equal(403)
    expect((await send(viewer, 'DELETE', path)).status).to.equal(403)
    expect((await send(await founder(), 'DELETE', path)).status).to.equal(404)
    expect((await send(owner, 'DELETE', path)).status).to.equal(204)
    expect(await texts(owner, 'from=2026-05-01&to=2026-05-31')).to.deep.equal([])
  })
})
