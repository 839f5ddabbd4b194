import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { gcsStore } from '#streams/cloud/gcp/object-store.ts'
import {
  account,
  denied,
  fails,
  farGoogle,
  refusing,
  type Answer,
  type FarGoogle,
  type Question,
} from './far-google.ts'
import { farStorage, type Stored } from './far-storage.ts'

/** The two parts of a multipart upload: what describes the object, and its bytes (RFC 2387). */
function partsOf({ bytes, headers }: Question) {
  const boundary = /^multipart\/related; boundary=(.+)$/.exec(headers['content-type'] ?? '')![1]!
  const text = bytes.toString('latin1')
  const parts = text.split(`--${boundary}`).slice(1, -1)
  const [described, content] = parts.map((part) => part.slice(part.indexOf('\r\n\r\n') + 4, -2))
  return { described: JSON.parse(described!), content: Buffer.from(content!, 'latin1') }
}

/** Insert and delete as the reference of the JSON API has them, beside list. */
function farBucket(objects: Record<string, Stored>) {
  const read = farStorage(objects)
  return (question: Question): Answer => {
    const { method, path, query } = question
    if (method === 'POST') {
      if (path !== '/upload/storage/v1/b/shop-bills/o' || query.get('uploadType') !== 'multipart')
        return refusing(404, 'notFound')
      const { described, content } = partsOf(question)
      if (described.md5Hash !== createHash('md5').update(content).digest('base64')) return refusing(400, 'invalid')
      objects[described.name] = { bytes: content }
      return { body: { name: described.name } }
    }
    if (method !== 'DELETE') return read(question)
    const name = path.slice('/storage/v1/b/shop-bills/o/'.length)
    if (!objects[name]) return refusing(404, 'notFound')
    delete objects[name]
    return { status: 204, body: '' }
  }
}

describe('the object store of Google Cloud', () => {
  let far: FarGoogle
  afterEach(() => far.close())
  const open = async (answer: (question: Question) => Answer) => {
    far = await farGoogle(answer)
    return gcsStore(far.options, account, { bucket: 'shop-bills' })
  }

  it('writes objects byte for byte in place of former ones, lists all pages of them, and removes them', async () => {
    const objects: Record<string, Stored> = {}
    const store = await open(farBucket(objects))
    const body = Buffer.from([0, 255, 13, 10, 13, 10, 45, 45, 128])
    const names = ['a/billing_period=2026-01/1', 'a/billing_period=2026-01/2', 'a/billing_period=2026-01/3']
    for (const name of [...names, 'b/1']) await store.put(name, { body: Buffer.from('former'), media: 'text/csv' })
    for (const name of names) await store.put(name, { body, media: 'application/vnd.apache.parquet' })
    expect(names.every((name) => objects[name]!.bytes.equals(body))).to.equal(true)
    expect(await store.keys('a/')).to.deep.equal(names)
    await store.remove(names[0]!)
    await store.remove(names[0]!)
    expect(await store.keys('a/')).to.deep.equal(names.slice(1))
  })

  it('names the permission that is missing', async () => {
    const store = await open(() => denied('storage.objects.create'))
    expect(await fails(store.put('a', { body: Buffer.from('x'), media: 'text/csv' }))).to.equal(
      'user_action permission_missing',
    )
  })
})
