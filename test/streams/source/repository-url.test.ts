import { expect } from 'chai'
import { isServedBy, maySpeakOf } from '#streams/source/owner.ts'
import { repositoryKey } from '#streams/source/repository-url.ts'

describe('the address of a repository', () => {
  const same = (key: string | undefined, ...urls: string[]) => {
    for (const url of urls) expect(repositoryKey(url), url).to.equal(key)
  }

  it('is one, however it is spelled: the host in any case, by https or ssh, with .git or without [HOOK-07] [HOOK-12]', () => {
    same(
      'example.test/acme/shop',
      'https://example.test/acme/shop.git',
      'https://EXAMPLE.test/acme/shop',
      'http://example.test/acme/shop/',
      'https://ana:pw@example.test/acme/shop.git/',
      'https://example.test:443/acme/shop?x=1#y',
      'git@example.test:acme/shop.git',
      'git@Example.Test:/acme/shop.git',
      'example.test:acme/shop',
      'ssh://git@example.test/acme/shop.git',
      'ssh://git@example.test:2222/acme/shop',
      'git://example.test//acme//shop.git',
      ' https://example.test/acme/shop.git ',
    )
  })

  it('differs by the case of its path, by its port and by what stands in its path', () => {
    same('example.test/Acme/shop', 'https://example.test/Acme/shop.git')
    same('example.test:8443/acme/shop', 'https://example.test:8443/acme/shop.git')
    same('example.test/acme/shop.github', 'https://example.test/acme/shop.github')
    same('example.test/group/sub/shop', 'https://example.test/group/sub/shop.git')
    same('example.test/acme/a b', 'https://example.test/acme/a%20b')
  })

  it('of Azure DevOps is one by https and by ssh', () => {
    same(
      'dev.azure.com/acme/web/_git/shop',
      'https://acme@dev.azure.com/acme/web/_git/shop',
      'git@ssh.dev.azure.com:v3/acme/web/shop',
    )
  })

  it('of Azure DevOps is one at its former host too, and where the repository is called as its project', () => {
    same(
      'dev.azure.com/acme/web/_git/shop',
      'https://acme.visualstudio.com/web/_git/shop',
      'https://Acme.VisualStudio.com/DefaultCollection/web/_git/shop',
      'acme@vs-ssh.visualstudio.com:v3/acme/web/shop',
    )
    same(
      'dev.azure.com/acme/shop/_git/shop',
      'https://dev.azure.com/acme/_git/shop',
      'https://acme.visualstudio.com/_git/shop',
    )
    same('ssh.dev.azure.com/v3/acme/web/shop/more', 'git@ssh.dev.azure.com:v3/acme/web/shop/more')
  })

  it('is none with characters that are no text, however they are spelled, or longer than an index takes', () => {
    for (const code of ['%00', '%0a', '%1F', '%7f', '%C2%85', '\u0001', '\ud800', '%ED%A0%80\udc00'])
      same(undefined, `https://example.test/acme/shop${code}x`, `git@example.test:acme/shop${code}x`)
    const long = (length: number) => `https://h/${'é'.repeat((length - 2) / 2)}`
    expect(repositoryKey(long(1024))).to.have.length(2 + 511)
    expect(repositoryKey(long(1026))).to.equal(undefined)
  })

  it('of the short form has a name for a host, and nobody in its path', () => {
    same(undefined, '-oProxy:acme/shop', 'git@ex_ample:acme/shop', '[::1]:acme/shop', 'git@a:b@c', 'example.test:a@b/c')
  })

  it('is none without a host or without a path, and of what is no place of sources', () => {
    same(
      undefined,
      '',
      'shop',
      'acme/shop',
      'https://example.test',
      'https://example.test/',
      'https://example.test/.git',
    )
    same(undefined, 'file:///etc/passwd', 'ftp://example.test/acme/shop', 'javascript://example.test/a', 'https://')
  })
})

describe('a host of sources', () => {
  it('may speak of its own repositories and of those of hosts that customers run, not of those of another that everybody knows', () => {
    const heard = (url: string) =>
      (['github', 'gitlab', 'bitbucket', 'azure-devops'] as const).filter((host) =>
        maySpeakOf(host, repositoryKey(url)!),
      )
    expect(heard('https://GitHub.com/acme/shop')).to.deep.equal(['github'])
    expect(heard('git@gitlab.com:acme/shop')).to.deep.equal(['gitlab'])
    expect(heard('https://bitbucket.org:8443/acme/shop')).to.deep.equal(['bitbucket'])
    expect(heard('https://acme.visualstudio.com/web/_git/shop')).to.deep.equal(['azure-devops'])
    expect(heard('https://git.example.test/acme/shop')).to.have.length(4)
  })

  it('is posted to where its API has its repositories, and not with the names of those of another [HOOK-10]', () => {
    const gitHub = 'https://api.github.com'
    expect(isServedBy(gitHub, 'github.com/acme/shop')).to.equal(true)
    expect(isServedBy(gitHub, 'git.example.test/acme/shop')).to.equal(false)
    expect(isServedBy('https://git.example.test/api/v3', 'git.example.test:8443/acme/shop')).to.equal(true)
  })
})
