import { expect } from 'chai'
import { noticesOf } from '#config/wiring/notices.ts'
import { deriveKey, sealKey } from '#config/secrets/seal.ts'

const [newer, older] = [
  sealKey(Buffer.alloc(32, 1).toString('base64')),
  sealKey(Buffer.alloc(32, 2).toString('base64')),
]
const neither = { allowInsecureWebhooks: false, allowPrivateAddresses: false }

describe('what people are told with', () => {
  for (const [settings, allowPrivate] of [
    [neither, false],
    [{ ...neither, allowInsecureWebhooks: true }, true],
    [{ ...neither, allowPrivateAddresses: true }, true],
  ] as const)
    it(`posts into private networks ${allowPrivate ? 'with' : 'only with'} a setting that allows it: ${JSON.stringify(settings)}`, () => {
      expect(noticesOf(settings, { publicUrl: '' }, () => []).webhooks).to.deep.equal({ allowPrivate })
    })

  it('links to where callers reach the edge now, without a slash at the end', () => {
    const here = { publicUrl: '' }
    const { publicUrl } = noticesOf(neither, here, () => [])
    expect(publicUrl()).to.equal('')
    here.publicUrl = 'https://tidemark.example/base/'
    expect(publicUrl()).to.equal('https://tidemark.example/base')
  })

  it('signs links with what follows from the newest key and is used for nothing else', () => {
    const secrets = noticesOf(neither, { publicUrl: '' }, () => [newer, older]).linkSecrets()
    expect(secrets).to.deep.equal([deriveKey(newer, 'notification-link'), deriveKey(older, 'notification-link')])
    expect(secrets).to.not.deep.include(deriveKey(newer, 'export'))
  })
})
