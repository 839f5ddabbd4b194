import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { blobStore } from '#streams/cloud/azure/object-store.ts'
import { account, answerServer, fails, type Answer, type AnswerServer, type Question } from './answer-server.ts'
import { farBlobs, type StoredBlob } from './far-blobs.ts'

const md5 = (bytes: Buffer): string => createHash('md5').update(bytes).digest('base64')

/** Put Blob and Delete Blob as the reference of the Blob service has them, beside List Blobs. */
function farContainer(blobs: Record<string, StoredBlob>) {
  const read = farBlobs(blobs)
  return (question: Question): Answer => {
    const { method, path, headers, bytes } = question
    const name = path.slice('/bills/exports/'.length)
    if (method === 'DELETE') {
      if (!blobs[name]) return { status: 404, headers: { 'x-ms-error-code': 'BlobNotFound' } }
      delete blobs[name]
      return { status: 202 }
    }
    if (method !== 'PUT') return read(question)
    if (headers['x-ms-blob-type'] !== 'BlockBlob' || Number(headers['content-length']) !== bytes.length)
      return { status: 400, headers: { 'x-ms-error-code': 'InvalidHeaderValue' } }
    if (headers['content-md5'] !== md5(bytes)) return { status: 400, headers: { 'x-ms-error-code': 'Md5Mismatch' } }
    blobs[name] = { at: '2026-01-15T10:00:00Z', bytes }
    return { status: 201 }
  }
}

describe('the object store of Azure', () => {
  let server: AnswerServer
  afterEach(() => server.close())
  const open = async (answer: (question: Question) => Answer) => {
    server = await answerServer(answer)
    return blobStore(server.options, account, { storageAccount: 'bills', bucket: 'exports' })
  }

  it('writes blobs byte for byte in place of former ones, lists all pages of them, and removes them', async () => {
    const blobs: Record<string, StoredBlob> = {}
    const store = await open(farContainer(blobs))
    const body = Buffer.from([0, 255, 13, 10, 128])
    const names = ['a/billing_period=2026-01/1', 'a/billing_period=2026-01/2', 'a/billing_period=2026-01/3']
    for (const name of [...names, 'b/1']) await store.put(name, { body: Buffer.from('former'), media: 'text/csv' })
    for (const name of names) await store.put(name, { body, media: 'application/vnd.apache.parquet' })
    expect(names.every((name) => blobs[name]!.bytes.equals(body))).to.equal(true)
    expect(await store.keys('a/')).to.deep.equal(names)
    await store.remove(names[0]!)
    await store.remove(names[0]!)
    expect(await store.keys('a/')).to.deep.equal(names.slice(1))
    expect(new Set(server.asked.map(({ token }) => token.split('-https')[1]))).to.deep.equal(
      new Set(['://storage.azure.com/.default']),
    )
    expect(server.asked[0]!.headers['x-ms-version']).to.equal('2023-11-03')
  })

  it('names the permission that is missing', async () => {
    const code = 'AuthorizationPermissionMismatch'
    const store = await open(() => ({ status: 403, headers: { 'x-ms-error-code': code } }))
    expect(await fails(store.put('a', { body: Buffer.from('x'), media: 'text/csv' }))).to.equal(
      'user_action permission_missing',
    )
    const error = await store.put('a', { body: Buffer.from('x'), media: 'text/csv' }).catch((caught: unknown) => caught)
    expect((error as any).detail.permission).to.equal(
      'Microsoft.Storage/storageAccounts/blobServices/containers/blobs/write',
    )
  })
})
