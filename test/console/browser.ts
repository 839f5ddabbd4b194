/**
 * A real browser in front of the test product: the machine's Chromium. A page of it fails its test on what no page of the
 * console may do: an error on the console, a refusal of the policy, a request to another origin.
 */
import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import path from 'node:path'
import { randomUUID } from 'node:crypto'
import type { BrowserContext, Page } from 'playwright-core'
import { Member } from '#http/identity/entity.ts'
import { newUser } from '#http/identity/session/login.ts'
import { makeLinkToken } from '#http/identity/session/sign-in-link.ts'
import type { SystemRole } from '#http/identity/organization/role.ts'
import { asService } from '#http/store/tenant.ts'
import { testBrowser } from '#test/harness/chromium.ts'
import { testFolder } from '#test/harness/stores.ts'
import { isDeep } from '#test/harness/tier.ts'
import type { Tenant } from '#test/harness/product.ts'

const names = ['chromium', 'chromium-browser', 'google-chrome']

/** Where the browser is; undefined on a machine without one. */
export function browserHere(): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(path.delimiter)
  const found = names.flatMap((name) => folders.map((folder) => path.join(folder, name)))
  return [process.env['CHROMIUM_BIN'], ...found].find((file) => file !== undefined && file !== '' && existsSync(file))
}

/** A suite in a browser. Without one it is skipped with one line, and fails where CI runs it. */
export function describeConsole(title: string, fn: () => void): void {
  if (browserHere() !== undefined) {
    describe(title, function () {
      this.timeout(120_000)
      after(async () => {
        // Those of tests that failed: the browser outlives the file.
        await Promise.all([...contexts].map((one) => one.close()))
      })
      fn()
    })
    return
  }
  const why = 'console: SKIPPED, no chromium here (apt-get install chromium, or set CHROMIUM_BIN)'
  describe(title, () => {
    if (process.env['CI']) it('needs a browser', () => Promise.reject(new Error(why)))
    else it.skip(why)
  })
}

/** A suite in a browser that only the deep tier runs, in a file that `npm test` runs too. */
export const deepConsole = (title: string, fn: () => void): void => {
  if (isDeep) describeConsole(title, fn)
}

/** Contexts that are open. */
const contexts = new Set<BrowserContext>()

/** Contexts whose clock a test has moved: it would stay moved. */
const moved = new WeakSet<BrowserContext>()

/**
 * In `npm test` a context of the default look, which the one before has left without cookies and without what pages keep. The next one has
 * the files of the console in its cache: without them the first page takes most of what a look takes.
 */
let spare: BrowserContext | undefined

/** Each theme and each width, for what is looked at as a whole. */
export const looks = [
  { theme: 'light', width: 1440 },
  { theme: 'dark', width: 360 },
] as const

export interface Seen {
  page: Page
  context: BrowserContext
  /** What no page may do, as it happened. */
  faults: string[]
  /** Every request's address, in order. */
  asked: string[]
  /** Opens a view and waits until its figures are there. */
  open: (place: string) => Promise<void>
  /**
   * Opens another view without loading the page, as a link would, which is several times faster than `open`. Not for tests that plant
   * something between page loads: the page keeps what it knows, such as earlier answers and drafts.
   */
  move: (place: string) => Promise<void>
  close: () => Promise<void>
}

export interface Looking {
  role?: SystemRole
  theme?: 'light' | 'dark'
  width?: number
  /** What the person is called. */
  name?: string
  /** Where it begins instead of with a link of a new person: nobody is signed in there yet. */
  at?: string
  /** Answers of the API that are no fault here: by what stands in the browser's message. */
  expected?: RegExp
}

/** A person of the organization, signed in by a link, as `npm start` prints one. */
export async function look(
  org: Pick<Tenant, 'url' | 'connections' | 'orgId'>,
  { role = 'owner', theme = 'light', width = 1440, name, at, expected }: Looking = {},
): Promise<Seen> {
  const isDefault = theme === 'light' && width === 1440
  const context = await contextOf({ theme, width, isDefault })
  const page = await context.newPage()
  const faults: string[] = []
  const asked: string[] = []
  page.on('pageerror', (error) => faults.push(`error: ${error.message}`))
  page.on('console', (message) => {
    const isFault = message.type() === 'error' || message.type() === 'warning'
    if (isFault && !expected?.test(`${message.text()} ${message.location().url}`))
      faults.push(`${message.type()}: ${message.text()} ${message.location().url}`)
  })
  page.on('request', (request) => {
    asked.push(`${request.method()} ${request.url()}`)
    if (!/^(data|blob):/.test(request.url()) && !request.url().startsWith(org.url))
      faults.push(`foreign: ${request.url()}`)
  })
  await page.goto(`${org.url}/console/${at ?? `#token=${await linkFor(org, role, name)}`}`)
  await settled(page)
  return {
    page,
    context,
    faults,
    asked,
    open: async (place) => {
      await page.goto(`${org.url}/console/${place}`)
      await settled(page)
    },
    move: async (place) => {
      await page.evaluate(movedTo, `${org.url}/console/${place}`)
      await settled(page)
    },
    close: () => (isDefault && !isDeep && !moved.has(context) ? leave(context) : context.close()),
  }
}

async function contextOf({
  theme,
  width,
  isDefault,
}: Required<Pick<Looking, 'theme' | 'width'>> & { isDefault: boolean }) {
  const left = isDefault ? spare : undefined
  if (left) {
    spare = undefined
    contexts.add(left)
    return left
  }
  const browser = await testBrowser(browserHere()!)
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: theme,
    locale: 'en-US',
    serviceWorkers: 'block',
  })
  const { clock } = context
  const install = clock.install.bind(clock)
  clock.install = (...given) => {
    moved.add(context)
    return install(...given)
  }
  contexts.add(context)
  context.on('close', () => {
    contexts.delete(context)
    if (spare === context) spare = undefined
  })
  return context
}

/** Keeps a context for the next look: of the one before only the cache is left. One that cannot be left so is closed. */
async function leave(context: BrowserContext): Promise<void> {
  if (spare) return context.close()
  try {
    for (const page of context.pages()) {
      await page.evaluate(() => {
        localStorage.clear()
        sessionStorage.clear()
      })
      await page.close()
    }
    await context.clearCookies()
    contexts.delete(context)
    spare = context
  } catch {
    await context.close()
  }
}

/** What going back and forth does in a page. Resolves once the view was drawn, if only as loading. */
const movedTo = (address: string): Promise<void> =>
  new Promise((resolve) => {
    history.pushState(null, '', address)
    dispatchEvent(new PopStateEvent('popstate'))
    requestAnimationFrame(() => setTimeout(resolve))
  })

/** Resolves once the view is there and nothing of it is being asked. */
export async function settled(page: Page): Promise<void> {
  await page.waitForSelector('main#view > *, .sign-in')
  await page.waitForFunction(() => !document.querySelector('.loading, [aria-busy="true"]'))
}

/** Makes a person who has this role in the organization. */
export async function linkFor(
  { connections, orgId }: Pick<Tenant, 'connections' | 'orgId'>,
  role: SystemRole,
  name = 'Ana',
): Promise<string> {
  const now = new Date(connections.clock.now())
  return asService(() =>
    connections.orm.em.fork().transactional(async (em) => {
      const user = newUser(em, `${randomUUID()}@example.com`, name, now)
      user.emailVerifiedAt = now
      em.persist(em.create(Member, { orgId, userId: user.id, roleId: role, status: 'active', createdAt: now }))
      await em.flush()
      return makeLinkToken(em, { userId: user.id, orgId, expiresAt: new Date(now.getTime() + 60_000) })
    }),
  )
}

/** Keeps a picture of what a test saw, where it failed. */
export async function pictured(page: Page, title: string): Promise<string> {
  const folder = path.join(testFolder(), 'console')
  mkdirSync(folder, { recursive: true })
  const file = path.join(folder, `${title.replaceAll(/[^\w-]+/g, '-')}.png`)
  await page.screenshot({ path: file, fullPage: true })
  return file
}

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

interface Finding {
  id: string
  impact: string
  nodes: { html: string; failureSummary: string }[]
}

/** What axe-core finds that is serious or worse, in words. */
export async function findings(page: Page): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in globalThis))) await page.evaluate(axe)
  const found = await page.evaluate(async () => {
    const { violations } = await (globalThis as any).axe.run(document, { resultTypes: ['violations'] })
    return violations as Finding[]
  })
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html, failureSummary }) => `${id}: ${html} ${failureSummary}`))
}
