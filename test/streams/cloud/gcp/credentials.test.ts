import { expect } from 'chai'
import { generateKeyPairSync } from 'node:crypto'
import { Fault } from '#engine/value/fault.ts'
import { credentialsOf, principalOf, readGcpCredentials } from '#streams/cloud/gcp/session/credentials.ts'
import { account, email, serviceAccount } from './far-google.ts'

const audience = '//iam.googleapis.com/projects/123/locations/global/workloadIdentityPools/tidemark/providers/tidemark'
const federation = {
  type: 'external_account',
  audience,
  subject_token_type: 'urn:ietf:params:oauth:token-type:jwt',
  token_url: 'https://sts.googleapis.com/v1/token',
  service_account_impersonation_url: `https://iamcredentials.googleapis.com/v1/projects/-/serviceAccounts/${email}:generateAccessToken`,
  universe_domain: 'googleapis.com',
}

/** The members that are refused. */
function refusedIn(credentials: unknown): string[] {
  try {
    readGcpCredentials(credentials)
    return []
  } catch (error) {
    const { kind, detail } = Fault.from(error)
    expect(kind).to.equal('invalid')
    return (detail.problems ?? []).map(({ path }) => path)
  }
}

describe('credentials of Google Cloud', () => {
  it('are the key of a service account, as a document or as its text', () => {
    for (const given of [serviceAccount, JSON.stringify(serviceAccount)]) {
      const found = readGcpCredentials({ serviceAccount: given })
      expect(found).to.deep.equal({ kind: 'key', email, key: serviceAccount.private_key })
      expect(principalOf(found)).to.equal(email)
    }
  })

  it('or the configuration of a workload identity federation, with a service account or without', () => {
    const impersonation = federation.service_account_impersonation_url
    const tokenType = 'urn:ietf:params:oauth:token-type:jwt'
    const expected = { kind: 'federation', audience, tokenType, email, impersonation }
    expect(readGcpCredentials({ workloadIdentity: federation })).to.deep.equal(expected)
    const { service_account_impersonation_url: _, ...alone } = federation
    const found = readGcpCredentials({ workloadIdentity: JSON.stringify(alone) })
    expect(found).to.deep.equal({ ...expected, email: undefined, impersonation: undefined })
    expect(principalOf(found)).to.equal(audience)
  })

  it('lead to no token address but Google’s', () => {
    const hostile = [
      'https://evil.example/token',
      'http://oauth2.googleapis.com/token',
      'https://oauth2.googleapis.com.evil.example/token',
      'https://oauth2.googleapis.com/token?x=https://evil.example',
      'https://oauth2.googleapis.com/token\n',
      'file:///etc/passwd',
      7,
    ]
    for (const token_uri of hostile)
      expect(refusedIn({ serviceAccount: { ...serviceAccount, token_uri } }), String(token_uri)).to.deep.equal([
        '/serviceAccount/token_uri',
      ])
    for (const token_url of ['https://evil.example/v1/token', 'https://sts.googleapis.com@evil.example/v1/token'])
      expect(refusedIn({ workloadIdentity: { ...federation, token_url } })).to.deep.equal([
        '/workloadIdentity/token_url',
      ])
    const elsewhere = federation.service_account_impersonation_url.replace(
      'iamcredentials.googleapis.com',
      'evil.example',
    )
    const climbing = federation.service_account_impersonation_url.replace(email, `../../x/${email}`)
    for (const service_account_impersonation_url of [elsewhere, climbing])
      expect(refusedIn({ workloadIdentity: { ...federation, service_account_impersonation_url } })).to.deep.equal([
        '/workloadIdentity/service_account_impersonation_url',
      ])
  })

  it('name no files, programs, addresses or environments to get tokens from', () => {
    const sources = [
      { file: '/var/run/secrets/token' },
      { executable: { command: '/bin/sh -c id', timeout_millis: 5000 } },
      { url: 'http://169.254.169.254/computeMetadata/v1/token' },
      { environment_id: 'aws1', regional_cred_verification_url: 'https://sts.{region}.amazonaws.com' },
    ]
    for (const credential_source of sources)
      expect(refusedIn({ workloadIdentity: { ...federation, credential_source } })).to.deep.equal([
        '/workloadIdentity/credential_source',
      ])
    const more = { token_info_url: 'https://evil.example', workforce_pool_user_project: 'x', 'a/b~c': 1 }
    expect(refusedIn({ workloadIdentity: { ...federation, ...more } })).to.deep.equal([
      '/workloadIdentity/token_info_url',
      '/workloadIdentity/workforce_pool_user_project',
      '/workloadIdentity/a~1b~0c',
    ])
    expect(
      refusedIn({ serviceAccount: { ...serviceAccount, credential_source: { file: '/etc/passwd' } } }),
    ).to.deep.equal(['/serviceAccount/credential_source'])
  })

  it('of another universe, of another type or without what is needed are none', () => {
    expect(refusedIn({ serviceAccount: { ...serviceAccount, universe_domain: 'evil.example' } })).to.deep.equal([
      '/serviceAccount/universe_domain',
    ])
    expect(refusedIn({ serviceAccount: { ...serviceAccount, type: 'authorized_user' } })).to.deep.equal([
      '/serviceAccount/type',
    ])
    expect(refusedIn({ serviceAccount: { type: 'service_account' } })).to.deep.equal([
      '/serviceAccount/client_email',
      '/serviceAccount/private_key',
    ])
    expect(refusedIn({ serviceAccount: '{' })).to.deep.equal(['/serviceAccount'])
    expect(refusedIn({ serviceAccount: ' '.repeat(20_000) + '{}' })).to.deep.equal(['/serviceAccount'])
    expect(refusedIn({ serviceAccount, workloadIdentity: federation })).to.deep.equal([''])
    expect(refusedIn({})).to.deep.equal([''])
    expect(refusedIn(null)).to.deep.equal([''])
  })

  it('sign with an RSA key of 2048 bits or more', () => {
    const pem = (key: ReturnType<typeof generateKeyPairSync>['privateKey']) =>
      key.export({ type: 'pkcs8', format: 'pem' })
    const short = pem(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey)
    const curve = pem(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
    const broken = '-----BEGIN PRIVATE KEY-----\nabc\n-----END PRIVATE KEY-----\n'
    for (const private_key of [short, curve, broken])
      expect(refusedIn({ serviceAccount: { ...serviceAccount, private_key } })).to.deep.equal([
        '/serviceAccount/private_key',
      ])
  })

  it('that an account should not have are a fault of who gave them', () => {
    const error = Fault.from(
      (() => {
        try {
          return credentialsOf({ ...account, credentials: { roleARN: 'x' } })
        } catch (thrown) {
          return thrown
        }
      })(),
    )
    expect([error.code, error.detail['bucket']]).to.deep.equal(['credentials_refused', 'user_action'])
  })
})
