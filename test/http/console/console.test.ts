import { createHash } from 'node:crypto'
import { brotliDecompressSync } from 'node:zlib'
import { request } from 'node:http'
import { expect } from 'chai'
import { assets, encodeAsset, encodingOf } from '#http/console/asset.ts'
import { consoleRoutes } from '#http/console/routes.ts'
import { scopeOf, served } from '#test/http/serving.ts'

/** Compressed bytes of the script that a page loads. */
async function weightOf(places: readonly string[]): Promise<number> {
  const { files } = assets()
  const sizes = await Promise.all(places.map(async (place) => (await encodeAsset(files.get(place)!, 'gzip')).length))
  return sizes.reduce((sum, size) => sum + size, 0)
}

describe('http console', () => {
  const pages = served(consoleRoutes, scopeOf({}))
  const html = { Accept: 'text/html,application/xhtml+xml' }

  it('leads browsers from the root to itself, with what an identity provider led back with', async () => {
    const r = await pages.get('/?code=abc', html)
    expect([r.status, r.headers.get('location')]).to.deep.equal([303, 'console/?code=abc'])
  })

  it('answers others at the root as before', async () => {
    const r = await pages.get('/', { Accept: 'application/json' })
    expect([r.status, (await r.json()).code]).to.deep.equal([404, 'not_found'])
  })

  it('is one page at the address of every view', async () => {
    const [root, view] = await Promise.all([
      pages.get('/console/', html),
      pages.get('/console/costs?from=2026-01-01', html),
    ])
    expect([root.status, view.status]).to.deep.equal([200, 200])
    const modulesOf = async (r: Response) =>
      [...(await r.text()).matchAll(/modulepreload" href="[^"]*\/(view\/\w+\/view\.ts)"/g)].map(([, name]) => name)
    expect(await modulesOf(root)).to.deep.equal(['view/overview/view.ts'])
    expect(await modulesOf(view)).to.deep.equal(['view/costs/view.ts'])
    expect((await pages.get('/console/..%2F..%2Fx', html)).status).to.equal(200)
    expect(root.headers.get('content-type')).to.equal('text/html; charset=utf-8')
    const without = await pages.get('/console?from=2026-01-01', html)
    expect([without.status, without.headers.get('location')]).to.deep.equal([308, 'console/?from=2026-01-01'])
    const behind = await pages.get('/console/costs/?from=2026-01-01', html)
    expect([behind.status, behind.headers.get('location')]).to.deep.equal([308, '../costs?from=2026-01-01'])
  })

  it('lets its page run the files of its own origin and nothing else', async () => {
    const r = await pages.get('/console/', html)
    const text = await r.text()
    const map = /<script type="importmap">(.*?)<\/script>/s.exec(text)![1]!
    expect(r.headers.get('content-security-policy')).to.equal(
      `default-src 'none'; script-src 'self' 'sha256-${createHash('sha256').update(map).digest('base64')}'; style-src 'self'; ` +
        "img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; " +
        "require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect([...text.matchAll(/<script(?! type="(importmap|module)")/g)]).to.deep.equal([])
    expect(text).not.to.match(/ style=| on\w+=|https?:/)
  })

  it('asks once for the page that is there already', async () => {
    const first = await pages.get('/console/', html)
    const again = await pages.get('/console/', { ...html, 'If-None-Match': first.headers.get('etag')! })
    expect([again.status, again.headers.get('cache-control')]).to.deep.equal([304, 'no-cache'])
  })

  it('serves every file that its modules name, for ever under its version', async () => {
    const { version, files, shell } = assets()
    for (const place of shell) {
      const r = await pages.get(`/console/v/${version}/${place}`)
      expect([place, r.status, r.headers.get('content-type'), r.headers.get('cache-control')]).to.deep.equal([
        place,
        200,
        'text/javascript; charset=utf-8',
        'public, max-age=31536000, immutable',
      ])
    }
    expect([...files.keys()]).to.include.members(['style.css', 'mark.svg', 'lib/preact.js', 'lib/uplot.js'])
    expect(shell.at(-1)).to.equal('main.ts')
  })

  it('takes types away and ships no source map', () => {
    for (const [place, { plain }] of assets().files)
      expect(plain.toString(), place).not.to.match(/sourceMappingURL|^import type|^export interface/m)
  })

  it('compresses as the browser takes it', async () => {
    const { version, files } = assets()
    expect(['gzip, deflate, br', 'gzip', '', 'identity'].map(encodingOf)).to.deep.equal([
      'br',
      'gzip',
      'identity',
      'identity',
    ])
    // fetch opens what is compressed: the bytes are looked at as they come.
    const { origin } = new URL((await pages.get(`/console/v/${version}/main.ts`)).url)
    const bytes = await new Promise<{ encoding: unknown; body: Buffer }>((resolve, reject) => {
      request(`${origin}/console/v/${version}/main.ts`, { headers: { 'Accept-Encoding': 'br' } }, async (response) => {
        const body = Buffer.concat(await response.toArray())
        resolve({ encoding: response.headers['content-encoding'], body })
      })
        .on('error', reject)
        .end()
    })
    expect(bytes.encoding).to.equal('br')
    expect(brotliDecompressSync(bytes.body).equals(files.get('main.ts')!.plain)).to.equal(true)
  })

  it('has no file of another version, nor one outside of it', async () => {
    const { version } = assets()
    const places = [
      `/console/v/0123456789ab/main.ts`,
      `/console/v/${version}/../asset.ts`,
      `/console/v/${version}/..%2Fasset.ts`,
      `/console/v/${version}/tsconfig.json`,
      `/console/v/${version}/`,
    ]
    for (const place of places) expect([place, (await pages.get(place)).status]).to.deep.equal([place, 404])
  })

  it('weighs at most 150 kB of script compressed, whichever view is looked at', async () => {
    const { shell, files, behind } = assets()
    const parts = [...files.keys()].filter((place) => /^view\/\w+\/view\.ts$/.test(place))
    expect(parts.length).to.be.at.least(8)
    for (const part of parts) {
      const all = new Set([...shell, ...behind(part), ...(part === 'view/costs/view.ts' ? ['lib/d3-sankey.js'] : [])])
      expect(await weightOf([...all]), part).to.be.below(150_000)
    }
    expect(await weightOf(shell), 'shell').to.be.below(60_000)
  })
})
