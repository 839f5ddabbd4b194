import { createHmac } from 'node:crypto'
import { expect } from 'chai'
import { uuid5 } from '#engine/value/id.ts'
import { azureDevops } from '#streams/source/azure-devops.ts'
import { bitbucket } from '#streams/source/bitbucket.ts'
import { github, hmacHeader } from '#streams/source/github.ts'
import { gitlab, gitlabSignature } from '#streams/source/gitlab.ts'

const now = new Date('2030-01-07T13:00:00Z')
const raw = Buffer.from('{"a":1}')
const sha = '1'.repeat(40)
const none = '0'.repeat(40)
const problems = (work: () => unknown): string[] => {
  try {
    work()
    return []
  } catch (error) {
    return (error as { detail: { problems: { path: string }[] } }).detail.problems.map(({ path }) => path)
  }
}

describe('the id of a revision', () => {
  it('is the UUID of version 5 of its delivery in the namespace of its deployment [S-22] [HOOK-08]', () => {
    const delivery = '72d3162e-cc78-11e3-81ab-4c9367dc0958'
    expect(uuid5('6f0c2c1e-5b1a-4d0e-9a57-1f2e3d4c5b6a', delivery)).to.equal('a4a14383-9cce-58ee-b1ef-efc2cfaaecf3')
    expect(uuid5('0b8a7d4e-93c5-4f0e-8d21-7c6b5a493827', delivery)).to.equal('08555428-97bd-520f-8e0e-687c8e9d4f4d')
    // RFC 9562, appendix A.4.
    expect(uuid5('6ba7b810-9dad-11d1-80b4-00c04fd430c8', 'www.example.com')).to.equal(
      '2ed6657d-e927-568b-95e1-2665a8aea6a2',
    )
    expect(() => uuid5('shop', delivery)).to.throw('namespace')
  })
})

describe('a webhook of GitHub', () => {
  const signed = (signature: string | undefined, bytes = raw, secrets = ['s1', 's2']) =>
    github.isSigned({ 'x-hub-signature-256': signature }, bytes, secrets, now)

  it('is signed by the current secret or by the one before, over its bytes [HOOK-03] [HOOK-05] [HOOK-21]', () => {
    for (const secret of ['s1', 's2']) expect(signed(hmacHeader(secret, raw)), secret).to.equal(true)
    expect(signed(hmacHeader('s3', raw))).to.equal(false)
    expect(signed(hmacHeader('s1', raw), Buffer.from('{"a": 1}'))).to.equal(false)
  })

  it('is not signed by a signature that is missing, cut, longer, in another case or of another kind [HOOK-04]', () => {
    const right = hmacHeader('s1', raw)
    const sha1 = `sha1=${createHmac('sha1', 's1').update(raw).digest('hex')}`
    for (const wrong of [
      undefined,
      '',
      'sha256=',
      right.slice(0, -1),
      `${right}0`,
      right.toUpperCase(),
      sha1,
      ` ${right}`,
    ])
      expect(signed(wrong), wrong).to.equal(false)
    expect(signed(right, raw, [])).to.equal(false)
    expect(github.isSigned({ 'x-hub-signature-256': [right, right] }, raw, ['s1'], now)).to.equal(false)
  })

  it('with one byte of it changed, at any place, is not [HOOK-03]', () => {
    const signature = hmacHeader('s1', raw)
    for (let i = 0; i < raw.length; i++) {
      const changed = Buffer.from(raw)
      changed[i]! ^= 1
      expect(signed(signature, changed), String(i)).to.equal(false)
    }
    for (let i = 0; i < signature.length; i++) {
      const changed = Buffer.from(signature)
      changed[i]! ^= 0x20
      expect(signed(changed.toString('latin1')), String(i)).to.equal(false)
    }
  })

  it('of a push says which commit of which branch, and nothing of tags and of what is deleted [HOOK-07]', () => {
    const push = { ref: 'refs/heads/feature/a', after: sha, repository: { clone_url: 'https://example.test/a/b.git' } }
    expect(github.read('push', push)).to.deep.equal({
      kind: 'push',
      pushes: [{ ref: push.ref, branch: 'feature/a', commitSha: sha, repositoryUrl: push.repository.clone_url }],
    })
    for (const other of [
      { ref: 'refs/tags/v1' },
      { ref: 'main' },
      { ref: 'refs/heads/' },
      { after: none },
      { deleted: true },
    ])
      expect(github.read('push', { ...push, ...other }), JSON.stringify(other)).to.deep.equal({ kind: 'none' })
    expect(problems(() => github.read('push', { ...push, after: 'x' }))).to.deep.equal(['/after'])
    expect(problems(() => github.read('push', []))).to.have.length.above(0)
  })

  it('of a pull request says which commit, by the name of its repository or by its address [HOOK-10]', () => {
    const repository = { clone_url: 'https://example.test/acme/shop.git' }
    const opened = { action: 'opened', number: 7, pull_request: { head: { sha } }, repository }
    const read = {
      kind: 'pull-request',
      repositoryUrl: repository.clone_url,
      fullName: 'acme/shop',
      headSha: sha,
      number: 7,
    }
    expect(github.read('pull_request', opened)).to.deep.equal(read)
    const bare = { pull_request: { head: { sha } }, repository: { ...repository, full_name: 'acme/other' } }
    expect(github.read('pull_request', bare)).to.deep.equal({ ...read, fullName: 'acme/other', number: 0 })
    for (const action of ['closed', 'labeled', 'edited'])
      expect(github.read('pull_request', { ...opened, action })).to.deep.equal({ kind: 'none' })
  })

  it('of an installation says which repositories it sees now [HOOK-11]', () => {
    const installation = { id: 9, account: { login: 'acme', html_url: 'https://git.example.test/acme' } }
    const shown = { id: '1', fullName: 'acme/shop', url: 'https://git.example.test/acme/shop' }
    const about = { kind: 'installation', installationId: '9', account: 'acme', added: [], removed: [] }
    const read = (event: string, action: string, members = {}) =>
      github.read(event, { action, installation, ...members })
    const repositories = [{ id: 1, full_name: 'acme/shop', private: true }]
    expect(read('installation', 'created', { repositories })).to.deep.equal({ ...about, change: 'set', added: [shown] })
    expect(read('installation', 'deleted', { repositories })).to.deep.equal({ ...about, change: 'gone' })
    const moved = { repositories_added: repositories, repositories_removed: [{ id: 2 }] }
    const changed = { ...about, change: 'add-and-remove', added: [shown], removed: ['2'] }
    expect(read('installation_repositories', 'added', moved)).to.deep.equal(changed)
    expect(read('installation', 'suspend')).to.deep.equal({ kind: 'none' })
  })
})

describe('a webhook of GitLab', () => {
  const at = String(now.getTime() / 1000)
  const of = (secret: string, timestamp = at, id = 'd-1') => ({
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': gitlabSignature(secret, id, timestamp, raw),
  })

  it('is signed over its id, its time and its bytes, within five minutes [HOOK-03]', () => {
    const key = `whsec_${Buffer.from('key of 32 bytes').toString('base64')}`
    const isSigned = (headers: object, bytes = raw) => gitlab.isSigned({ ...headers }, bytes, [key], now)
    expect(isSigned(of(key))).to.equal(true)
    expect(isSigned({ ...of(key), 'webhook-signature': `v1,AAAA ${of(key)['webhook-signature']}` })).to.equal(true)
    expect(isSigned(of('another'))).to.equal(false)
    expect(isSigned({ ...of(key), 'webhook-id': 'd-2' })).to.equal(false)
    expect(isSigned(of(key), Buffer.from('{}'))).to.equal(false)
    for (const [seconds, is] of [
      [-300, true],
      [300, true],
      [-301, false],
      [301, false],
    ] as const)
      expect(isSigned(of(key, String(Number(at) + seconds))), String(seconds)).to.equal(is)
    expect(isSigned(of(key, 'soon'))).to.equal(false)
    // One that is signed wrongly is not saved by the token.
    expect(isSigned({ ...of('another'), 'x-gitlab-token': key })).to.equal(false)
  })

  it('carries the secret itself otherwise, and says which commit was pushed [HOOK-07]', () => {
    const isSigned = (token: string | undefined) => gitlab.isSigned({ 'x-gitlab-token': token }, raw, ['s1'], now)
    expect([isSigned('s1'), isSigned('s2'), isSigned('s'), isSigned(undefined)]).to.deep.equal([
      true,
      false,
      false,
      false,
    ])
    const push = { ref: 'refs/heads/main', after: sha, project: { git_http_url: 'https://example.test/a/b.git' } }
    expect(gitlab.read('Push Hook', push)).to.deep.equal({
      kind: 'push',
      pushes: [{ ref: push.ref, branch: 'main', commitSha: sha, repositoryUrl: push.project.git_http_url }],
    })
    expect(gitlab.read('Push Hook', { ...push, after: none })).to.deep.equal({ kind: 'none' })
    expect(gitlab.read('Tag Push Hook', push)).to.deep.equal({ kind: 'none' })
  })
})

describe('a webhook of Bitbucket', () => {
  it('is signed over its bytes, and says which commits were pushed, one of each branch [HOOK-07]', () => {
    const isSigned = (signature: string) => bitbucket.isSigned({ 'x-hub-signature': signature }, raw, ['s1'], now)
    expect([isSigned(hmacHeader('s1', raw)), isSigned(hmacHeader('s2', raw))]).to.deep.equal([true, false])
    const branch = (name: string, type = 'branch') => ({ new: { type, name, target: { hash: sha } } })
    const changes = [branch('main'), { new: null }, branch('v1', 'tag'), branch('main'), branch('dev')]
    const links = { html: { href: 'https://bitbucket.org/acme/shop' } }
    const pushed = (name: string) => ({
      ref: `refs/heads/${name}`,
      branch: name,
      commitSha: sha,
      repositoryUrl: links.html.href,
    })
    expect(bitbucket.read('repo:push', { push: { changes }, repository: { links } })).to.deep.equal({
      kind: 'push',
      pushes: [pushed('main'), pushed('dev')],
    })
    const gone = { push: { changes: [{ new: null }] }, repository: { links } }
    expect(bitbucket.read('repo:push', gone)).to.deep.equal({ kind: 'none' })
    expect(bitbucket.read('repo:fork', {})).to.deep.equal({ kind: 'none' })
  })
})

describe('a service hook of Azure DevOps', () => {
  it('carries a password, names its delivery itself, and says which commits were pushed [HOOK-07]', () => {
    const isSigned = (text: string) =>
      azureDevops.isSigned({ authorization: `Basic ${Buffer.from(text).toString('base64')}` }, raw, ['s:1'], now)
    expect([isSigned('ana:s:1'), isSigned(':s:1'), isSigned('ana:s'), isSigned('s:1')]).to.deep.equal([
      true,
      true,
      false,
      false,
    ])
    expect(azureDevops.isSigned({ authorization: 'Bearer s:1' }, raw, ['s:1'], now)).to.equal(false)
    const refUpdates = [
      { name: 'refs/heads/main', newObjectId: sha },
      { name: 'refs/heads/old', newObjectId: none },
      { name: 'refs/tags/v1', newObjectId: sha },
    ]
    const remoteUrl = 'https://dev.azure.com/acme/web/_git/shop'
    const payload = { id: 'n-1', eventType: 'git.push', resource: { refUpdates, repository: { remoteUrl } } }
    expect(azureDevops.deliveryOf({}, payload)).to.deep.equal({ event: 'git.push', deliveryId: 'n-1' })
    expect(azureDevops.read('git.push', payload)).to.deep.equal({
      kind: 'push',
      pushes: [{ ref: 'refs/heads/main', branch: 'main', commitSha: sha, repositoryUrl: remoteUrl }],
    })
    expect(problems(() => azureDevops.deliveryOf({}, {}))).to.deep.equal(['/id', '/eventType'])
  })
})

describe('when a push was made', () => {
  const push = (repository: object, more: object = {}) => {
    const read = github.read('push', {
      ref: 'refs/heads/main',
      after: sha,
      repository: { clone_url: 'https://example.test/acme/shop', ...repository },
      ...more,
    })
    return read.kind === 'push' ? read.pushes[0]!.pushedAt : read
  }

  it('is what GitHub says of the repository, in seconds or as a text, and nothing that is no time of this century', () => {
    expect(push({ pushed_at: 1557933657 })).to.equal('2019-05-15T15:20:57.000Z')
    expect(push({ pushed_at: '2019-05-15T17:20:57+02:00' })).to.equal('2019-05-15T15:20:57.000Z')
    for (const wrong of [undefined, null, '', 'soon', Number.NaN, 0, 1557933657000, '1900-01-01T00:00:00Z', {}])
      expect(push({ pushed_at: wrong }), JSON.stringify(wrong)).to.equal(undefined)
  })

  it('is not the time of its commit: a branch may be pushed back to an older one', () => {
    expect(push({}, { head_commit: { timestamp: '2019-05-15T15:20:57Z' } })).to.equal(undefined)
  })

  it('is what Azure DevOps says of the push', () => {
    const resource = {
      date: '2019-05-15T15:20:57.5Z',
      refUpdates: [{ name: 'refs/heads/main', newObjectId: sha }],
      repository: { remoteUrl: 'https://dev.azure.com/acme/web/_git/shop' },
    }
    const read = azureDevops.read('git.push', { resource })
    expect(read.kind === 'push' && read.pushes[0]!.pushedAt).to.equal('2019-05-15T15:20:57.500Z')
  })
})

describe('the headers of a webhook', () => {
  const at = String(now.getTime() / 1000)
  const right = gitlabSignature('s1', 'd-1', at, raw)

  it('are looked at before its body: what says nothing of the body is known by them alone [HOOK-04]', () => {
    const claimed = (headers: Record<string, string>) => gitlab.isClaimed(headers, ['s1'], now)
    expect([claimed({ 'x-gitlab-token': 's1' }), claimed({ 'x-gitlab-token': 's2' }), claimed({})]).to.deep.equal([
      true,
      false,
      false,
    ])
    const signed = { 'webhook-id': 'd-1', 'webhook-timestamp': at, 'webhook-signature': right }
    expect(claimed(signed)).to.equal(true)
    for (const wrong of [
      { 'webhook-signature': '' },
      { 'webhook-signature': 'v1,short' },
      { 'webhook-signature': '', 'x-gitlab-token': 's1' },
      { 'webhook-id': '' },
      { 'webhook-timestamp': String(Number(at) - 301) },
    ])
      expect(claimed({ ...signed, ...wrong }), JSON.stringify(wrong)).to.equal(false)
    const basic = (password: string) => ({
      authorization: `Basic ${Buffer.from(`ana:${password}`).toString('base64')}`,
    })
    expect(azureDevops.isClaimed(basic('s1'), ['s1'], now)).to.equal(true)
    expect(azureDevops.isClaimed(basic('s2'), ['s1'], now)).to.equal(false)
    expect(bitbucket.isClaimed({ 'x-hub-signature': hmacHeader('s9', raw) }, ['s1'], now)).to.equal(true)
    expect(bitbucket.isClaimed({ 'x-hub-signature': 'sha256=1' }, ['s1'], now)).to.equal(false)
  })

  it('may name several signatures of GitLab, of which one of a secret is enough [HOOK-21]', () => {
    const headers = (signatures: string) => ({
      'webhook-id': 'd-1',
      'webhook-timestamp': at,
      'webhook-signature': signatures,
    })
    const other = gitlabSignature('s3', 'd-1', at, raw)
    const isSigned = (signatures: string, secrets = ['s2', 's1']) =>
      gitlab.isSigned(headers(signatures), raw, secrets, now)
    expect([isSigned(`${other} ${right}`), isSigned(right, ['s2']), isSigned(other)]).to.deep.equal([
      true,
      false,
      false,
    ])
  })
})
