import { createHash, createHmac } from 'node:crypto'
import { expect } from 'chai'
import { eksServer, eksToken, eksTokens } from '#streams/cloud/kubernetes/api/eks-token.ts'
import { certificatePEM } from '#test/harness/certificate.ts'

const keys = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY' }
const now = new Date('2026-01-15T12:34:56.789Z')
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest()
const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')

/** Signature version 4 of a query, step by step as its documentation has it. */
function signatureOf(host: string, region: string, cluster: string, query: string): string {
  const canonical = ['GET', '/', query, `host:${host}`, `x-k8s-aws-id:${cluster}`, '', 'host;x-k8s-aws-id', sha256('')]
  const scope = `20260115/${region}/sts/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', '20260115T123456Z', scope, sha256(canonical.join('\n'))].join('\n')
  const dateKey = hmac(`AWS4${keys.secretAccessKey}`, '20260115')
  return hmac(hmac(hmac(hmac(dateKey, region), 'sts'), 'aws4_request'), toSign).toString('hex')
}

const urlIn = (token: string): string => {
  expect(token).to.match(/^k8s-aws-v1\.[A-Za-z0-9_-]+$/)
  return Buffer.from(token.slice('k8s-aws-v1.'.length), 'base64url').toString()
}

describe('the token of an EKS cluster', () => {
  for (const [region, host] of [
    ['eu-west-1', 'sts.eu-west-1.amazonaws.com'],
    ['cn-north-1', 'sts.cn-north-1.amazonaws.com.cn'],
    ['us-gov-west-1', 'sts.us-gov-west-1.amazonaws.com'],
  ] as const)
    it(`is a question to STS in ${region}, good for 60 seconds, signed with the name of the cluster`, async () => {
      const session = 'FwoGZXIvYXdzEBYaDH+/=='
      const url = urlIn(await eksToken({ name: 'prod', region }, async () => ({ ...keys, sessionToken: session }), now))
      const query = [
        'Action=GetCallerIdentity',
        'Version=2011-06-15',
        'X-Amz-Algorithm=AWS4-HMAC-SHA256',
        `X-Amz-Credential=AKIDEXAMPLE%2F20260115%2F${region}%2Fsts%2Faws4_request`,
        'X-Amz-Date=20260115T123456Z',
        'X-Amz-Expires=60',
        'X-Amz-Security-Token=FwoGZXIvYXdzEBYaDH%2B%2F%3D%3D',
        'X-Amz-SignedHeaders=host%3Bx-k8s-aws-id',
      ]
      const [address, asked = ''] = url.split('?')
      expect(address).to.equal(`https://${host}/`)
      const signed = asked.split('&').toSorted()
      expect(signed).to.have.members([
        ...query,
        `X-Amz-Signature=${signatureOf(host, region, 'prod', query.join('&'))}`,
      ])
    })

  it('is used for ten minutes, and then made anew', async () => {
    let at = now.getTime()
    let made = 0
    const provider = async () => {
      made++
      return keys
    }
    const token = eksTokens({ name: 'prod', region: 'eu-west-1' }, provider, { now: () => at, sleep: async () => {} })
    const first = await token()
    at += 10 * 60_000 - 1
    expect(await token()).to.equal(first)
    at += 1
    expect(await token()).to.not.equal(first)
    expect(made).to.equal(2)
  })

  it('is asked for again after it could not be made', async () => {
    let isDown = true
    const provider = async () => {
      if (isDown) throw new Error('no credentials')
      return keys
    }
    const clock = { now: () => now.getTime(), sleep: async () => {} }
    const described = {
      name: 'prod',
      region: 'eu-west-1',
      endpoint: 'https://ABC.gr7.eu-west-1.eks.amazonaws.com',
      caData: Buffer.from(certificatePEM).toString('base64'),
    }
    const { url, ca, token } = eksServer(described, provider, clock)
    expect({ url, ca }).to.deep.equal({ url: described.endpoint, ca: certificatePEM })
    expect(await token().catch((error: Error) => error.message)).to.equal('no credentials')
    isDown = false
    expect(await token()).to.match(/^k8s-aws-v1\./)
  })
})
