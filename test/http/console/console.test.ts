import { brotliDecompressSync } from 'node:zlib'
import { request } from 'node:http'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { expect } from 'chai'
import type { ConsoleFiles } from '#http/console/asset.ts'
import { encode, encodingOf } from '#http/edge/document/encoding.ts'
import { consoleRoutes } from '#http/console/routes.ts'
import { consoleFiles, readFiles } from '#config/process/console-files.ts'
import { scopeOf, served } from '#test/http/serving.ts'

describe('http console', () => {
  const pages = served(consoleRoutes(consoleFiles), scopeOf({}))
  const html = { Accept: 'text/html,application/xhtml+xml' }
  let bundled: ConsoleFiles
  before(async () => {
    bundled = await consoleFiles()
  })
  const scripts = () => [...bundled.files.keys()].filter((name) => name.endsWith('.js'))
  /** Compressed bytes of scripts. */
  const weightOf = async (names: readonly string[]): Promise<number> => {
    const sizes = names.map(async (name) => (await encode(name, bundled.files.get(name)!, 'gzip')).length)
    return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0)
  }

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
    const viewsOf = async (r: Response) => {
      const names = [...(await r.text()).matchAll(/modulepreload" href="\.\/file\/([\w-]+)-\w+\.js"/g)]
      return names.map(([, name]) => name).filter((name) => name !== 'main' && name !== 'chunk')
    }
    expect(await viewsOf(root)).to.deep.equal(['overview'])
    expect(await viewsOf(view)).to.deep.equal(['costs'])
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
    expect(r.headers.get('content-security-policy')).to.equal(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; " +
        "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'",
    )
    expect([...text.matchAll(/<script(?! type="module" src=")/g)]).to.deep.equal([])
    expect(text).not.to.match(/ style=| on\w+=|https?:/)
  })

  it('asks once for the page that is there already', async () => {
    const first = await pages.get('/console/', html)
    const again = await pages.get('/console/', { ...html, 'If-None-Match': first.headers.get('etag')! })
    expect([again.status, again.headers.get('cache-control')]).to.deep.equal([304, 'no-cache'])
  })

  it('serves every file that the page names, to be kept forever', async () => {
    const text = await (await pages.get('/console/', html)).text()
    const named = [...text.matchAll(/(?:href|src)="\.\/file\/([^"]+)"/g)].map(([, name]) => name!)
    expect(named).to.include.members([bundled.page.style, bundled.page.script])
    expect(text).to.include(`<link rel="icon" href="${bundled.page.icon}" type="image/svg+xml">`)
    expect(bundled.page.icon).to.match(/^data:image\/svg\+xml;base64,[\w+/]+=*$/)
    const media: Record<string, string> = {
      '.js': 'text/javascript; charset=utf-8',
      '.css': 'text/css; charset=utf-8',
    }
    for (const name of named) {
      const r = await pages.get(`/console/file/${name}`)
      expect([name, r.status, r.headers.get('content-type'), r.headers.get('cache-control')]).to.deep.equal([
        name,
        200,
        media[path.extname(name)],
        'public, max-age=31536000, immutable',
      ])
    }
  })

  it('gives each file a name that changes with its content, and ships no source map', () => {
    for (const [name, content] of bundled.files) {
      expect(name).to.match(/^[\w-]+-[A-Z0-9]{8}\.(js|css)$/)
      expect(content.toString(), name).not.to.include('sourceMappingURL')
    }
  })

  it('compresses as the browser takes it', async () => {
    expect(['gzip, deflate, br', 'gzip', '', 'identity'].map(encodingOf)).to.deep.equal([
      'br',
      'gzip',
      'identity',
      'identity',
    ])
    // fetch opens what is compressed: the bytes are looked at as they come.
    const name = bundled.page.script
    const { origin } = new URL((await pages.get('/console/')).url)
    const bytes = await new Promise<{ encoding: unknown; body: Buffer }>((resolve, reject) => {
      request(`${origin}/console/file/${name}`, { headers: { 'Accept-Encoding': 'br' } }, async (response) => {
        const body = Buffer.concat(await response.toArray())
        resolve({ encoding: response.headers['content-encoding'], body })
      })
        .on('error', reject)
        .end()
    })
    expect(bytes.encoding).to.equal('br')
    expect(brotliDecompressSync(bytes.body).equals(bundled.files.get(name)!)).to.equal(true)
  })

  it('has no file of another version, nor one outside of it', async () => {
    const places = ['main-AAAAAAAA.js', '..%2Froutes.ts', 'main.tsx', 'page.json']
    for (const place of places)
      expect([place, (await pages.get(`/console/file/${place}`)).status]).to.deep.equal([place, 404])
  })

  it('loads at most 4 scripts of 150 kB compressed, whichever view is opened, 2 for the overview, and 72 kB before one is', async () => {
    const { views, script } = bundled.page
    expect(Object.keys(views)).to.have.length.above(20)
    for (const [view, names] of Object.entries(views)) {
      expect(names, view).to.have.length.below(5)
      // The flow of costs is loaded when it is drawn.
      const later = view === 'costs' ? scripts().filter((name) => name.startsWith('flow-')) : []
      expect(await weightOf([...names, ...later]), view).to.be.below(150_000)
    }
    const frame = Object.values(views).reduce((all, names) => all.filter((name) => names.includes(name)))
    expect(views['overview']).to.have.length(2)
    expect(frame).to.deep.equal([script])
    expect(await weightOf(frame), 'frame').to.be.below(72_000)
  })

  it('is bundled once: the next start reads what the first one kept, and one that cannot keep it serves it all the same', async () => {
    const cache = mkdtempSync(path.join(tmpdir(), 'console-'))
    try {
      const first = await readFiles(cache)
      const kept = readdirSync(cache)
      expect(kept).to.have.length(1)
      expect(readdirSync(path.join(cache, kept[0]!))).to.have.members([...first.files.keys(), 'page.json'])
      expect(await readFiles(cache)).to.deep.equal(first)
      // Like any folder of this process: the image is bundled by another user than it runs as.
      mkdirSync(path.join(cache, 'other'))
      const [mode, usual] = [kept[0]!, 'other'].map((name) => statSync(path.join(cache, name)).mode)
      expect(mode).to.equal(usual)
      expect(await readFiles(path.join(cache, kept[0]!, 'page.json'))).to.deep.equal(first)
    } finally {
      rmSync(cache, { recursive: true })
    }
  })
})
