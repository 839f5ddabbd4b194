import { generateKeyPairSync } from 'node:crypto'
import { expect } from 'chai'
import jwt from 'jsonwebtoken'
import { AccessTokens } from '#http/identity/token/access-token.ts'
import type { KeyRing } from '#http/identity/token/key.ts'
import { subjectToken } from '#http/identity/token/subject-token.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const now = () => new Date('2026-01-15T10:00:00Z')
const publicUrl = () => 'https://tidemark.example.com'
const keys = {
  signer: async () => ({ kid: 'k1', key: privateKey }),
  verifier: async () => publicKey,
} as unknown as KeyRing
const audience = '//iam.googleapis.com/projects/1/locations/global/workloadIdentityPools/tidemark/providers/tidemark'

describe('a token by which an identity pool knows an organization', () => {
  it('says whose it is and for whom, for ten minutes, signed by a key that is published', async () => {
    const token = await subjectToken({ keys, publicUrl, now }, 'org-1', audience)
    const found = jwt.verify(token, publicKey, { complete: true, clockTimestamp: now().getTime() / 1000 })
    const { jti, ...claims } = found.payload as jwt.JwtPayload
    expect(found.header).to.deep.equal({ alg: 'RS256', typ: 'JWT', kid: 'k1' })
    expect(claims).to.deep.equal({
      iss: 'https://tidemark.example.com',
      sub: 'organization:org-1',
      aud: audience,
      iat: 1_768_471_200,
      nbf: 1_768_471_200,
      exp: 1_768_471_800,
    })
    expect(jti).to.be.a('string')
  })

  it('lets nobody in here, even where it is for the audience of our own', async () => {
    const tokens = new AccessTokens(keys, publicUrl, now)
    for (const aim of [audience, 'tidemark-api']) {
      const token = await subjectToken({ keys, publicUrl, now }, 'org-1', aim)
      const refused = await tokens.verify(token).catch((error: unknown) => error)
      expect(refused).to.deep.include({ code: 'invalid_token' })
    }
  })
})
