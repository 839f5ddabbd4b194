/** The frame around every view: menu, organization, what is live, and who is signed in. */
import { Fragment, type ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import { waitReason } from './api.ts'
import { liveState } from './live.ts'
import { go, hrefOf, params, currentRoute } from './router.ts'
import { Problem, problemOf } from './problem.ts'
import { enter, isOver, may, roleText, session, signOut, viewerKey, type Session } from './session.ts'
import { ClosedOrganization } from './part/closed-organization.tsx'
import { Keys, watchKeys } from './part/keys.tsx'
import { NoOrganization } from './part/no-organization.tsx'
import { SavedMenu, SaveView, titles } from './part/saved-views.tsx'
import { ReceiptDrawer } from './part/receipt.tsx'
import { SecondFactorNeeded } from './part/second-factor.tsx'
import { SignIn, SignInAgain } from './part/sign-in.tsx'
import { Empty, ProblemMessage, Loading } from './part/report-content.tsx'
import { useSettledDay } from './settled-day.ts'
import { switchTheme, theme } from './theme.ts'
import { views, type View } from './view/index.ts'

for (const { name, title } of views) titles.set(name, title)

export function App() {
  const now = session.value
  if (now === undefined)
    return (
      <main class="alone">
        <Loading rows={4} />
      </main>
    )
  if (now === null) return <SignIn />
  return (
    <>
      <Frame />
      {isOver.value && <SignInAgain />}
    </>
  )
}

function Frame() {
  useEffect(watchKeys, [])
  const { view: name } = currentRoute.value
  const view = views.find((one) => one.name === name)
  const now = session.value!
  useEffect(() => {
    document.title = `${view?.title ?? 'Not found'} · Tidemark`
  }, [view])
  return (
    <div class="frame">
      <a class="skip" href="#view" onClick={toView}>
        Skip to content
      </a>
      <Menu now={name} />
      <div class="page">
        <Head view={view} />
        <StatusBanner />
        <main id="view" tabindex={-1} key={viewerKey()}>
          {isIn(now) ? (
            <ViewLoader view={view} key={name} />
          ) : now.orgID === null ? (
            <NoOrganization />
          ) : now.me.needsSecondFactor ? (
            <SecondFactorNeeded />
          ) : (
            <ClosedOrganization />
          )}
        </main>
      </div>
      {isIn(now) && <ReceiptDrawer key={viewerKey()} />}
      <Keys />
    </div>
  )
}

/** For so long nobody is told that the stream is away: it is begun anew when a token is, milliseconds. */
const shortMs = 3000

/** What stands against the figures being those of now, above all of them. */
function StatusBanner() {
  const isAway = liveState.value === 'away'
  const [isLong, setLong] = useState(false)
  useEffect(() => {
    setLong(false)
    if (!isAway) return
    const timer = setTimeout(() => setLong(true), shortMs)
    return () => clearTimeout(timer)
  }, [isAway])
  const text = waitReason.value || (isLong && 'away')
  return (
    text && (
      <p class="waiting" role="status">
        {statusTexts[text]}
      </p>
    )
  )
}

const statusTexts = {
  limited: 'Your organization has reached its request rate limit. Continuing in a moment.',
  unreachable: 'Cannot reach Tidemark. The data shown may be out of date. Retrying automatically.',
  away: 'Live updates are interrupted. The data shown may be out of date. Reconnecting automatically; missed changes load then.',
}

function toView(event: Event): void {
  event.preventDefault()
  document.getElementById('view')?.focus()
}

/** A view's modules are loaded when it is first opened. */
function ViewLoader({ view }: { view: View | undefined }) {
  const [Loaded, setLoaded] = useState<ComponentType | undefined>()
  const [problem, setProblem] = useState<Problem | undefined>()
  const isSettledDayKnown = useSettledDay()
  useEffect(() => {
    view?.load().then(
      (module) => setLoaded(() => module.View),
      (error: unknown) => void missing(error, setProblem),
    )
  }, [view])
  if (!view)
    return (
      <Empty title="This view does not exist.">
        <p>
          <a href={hrefOf('overview')}>Go to Overview</a>
        </p>
      </Empty>
    )
  if (!may(view.permission)) return <NoPermission view={view} />
  if (problem) return <ProblemMessage problem={problem} again={() => location.reload()} />
  return Loaded && isSettledDayKnown ? <Loaded /> : <Loading />
}

/** How long to wait before it is looked again whether something answers, milliseconds. */
const awayMs = 1000

const isThere = (): Promise<boolean> =>
  fetch('./', { cache: 'no-store' }).then(
    ({ ok }) => ok,
    () => false,
  )

/**
 * A file that cannot be had. While nothing answers the page says so, and is loaded anew once something does: a browser may
 * remember that a module was not there. One that is gone is of a version that was replaced: loaded anew too, once.
 */
async function missing(error: unknown, show: (problem: Problem) => void): Promise<void> {
  if (await isThere()) {
    const at = Number(sessionStorage.getItem('renewed') ?? 0)
    if (Date.now() - at < 60_000) return show(problemOf(error))
  } else {
    show(new Problem(0, { code: 'waiting', detail: 'Cannot reach Tidemark. Retrying automatically.' }))
    while (!(await isThere())) await new Promise((resolve) => setTimeout(resolve, awayMs))
  }
  sessionStorage.setItem('renewed', String(Date.now()))
  location.reload()
}

const NoPermission = ({ view }: { view: View }) => (
  <Empty title={`Your role cannot view ${view.title.toLowerCase()}.`}>
    <p>
      {view.permission === 'admin' ? (
        'Only owners and admins of the organization can see it'
      ) : (
        <>
          It requires the permission <code>{view.permission}</code>
        </>
      )}
      ; your role is <strong>{roleText(session.value?.me.role ?? '')}</strong>. An administrator of your organization
      can {view.permission === 'admin' ? 'give you another role' : 'grant it to you'}.
    </p>
  </Empty>
)

function Menu({ now }: { now: string }) {
  const shown = views.filter(({ hidden }) => !hidden)
  const groups = [...Map.groupBy(shown, ({ group }) => group)]
  // Where it is narrow the views stand behind a button; whoever has chosen one wants to see that.
  const [isOpen, setOpen] = useState(false)
  useEffect(() => setOpen(false), [currentRoute.value])
  return (
    <nav class={isOpen ? 'menu open' : 'menu'} aria-label="Views">
      <a class="brand" href={hrefOf('overview')}>
        <span class="mark" aria-hidden="true" />
        Tidemark
      </a>
      <button type="button" class="fold" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {isOpen ? 'Close' : 'Views'}
      </button>
      {groups.map(([group, some]) => (
        <Fragment key={group}>
          <h2>{group}</h2>
          <ul>
            {some.map(({ name, title, permission }) => (
              <li key={name}>
                <a
                  href={hrefOf(name)}
                  aria-current={name === now ? 'page' : undefined}
                  class={may(permission) ? '' : 'lacking'}
                >
                  {title}
                </a>
              </li>
            ))}
          </ul>
        </Fragment>
      ))}
      {isIn(session.value!) && <SavedMenu key={session.value!.orgID} />}
    </nav>
  )
}

const live = { live: 'Live: changes appear immediately', connecting: 'Connecting…', away: 'Not live: reconnecting' }

/** Of the address what means the same in another organization; the rest names things of this one. */
const everywhere = ['range', 'from', 'to'] as const

const inAnother = (): void =>
  go(currentRoute.value.view, Object.fromEntries(everywhere.map((name) => [name, params(name)])), { replace: true })

function Organization() {
  const { tenants, orgID } = session.value!
  const [problem, setProblem] = useState<Problem | undefined>()
  if (orgID === null) return null
  if (tenants.length < 2) return <strong class="clip">{tenants[0]?.name ?? ''}</strong>
  const change = (event: Event) => {
    const select = event.target as HTMLSelectElement
    setProblem(undefined)
    enter(select.value, inAnother).catch((error: unknown) => {
      select.value = orgID
      setProblem(problemOf(error))
    })
  }
  return (
    <>
      <label>
        <span class="unseen">Organization</span>
        <select onChange={change}>
          {tenants.map(({ id, name }) => (
            <option key={id} value={id} selected={id === orgID}>
              {name}
            </option>
          ))}
        </select>
      </label>
      {problem && <span role="alert">{problem.message}</span>}
    </>
  )
}

/** Who is not in yet is told of nothing. */
const isIn = ({ orgID, me }: Session): boolean => orgID !== null && !me.needsSecondFactor && !me.isClosed

function Head({ view }: { view: View | undefined }) {
  const now = session.value!
  const { user, me } = now
  return (
    <header class="head">
      <Organization />
      {isIn(now) && may('service.view') && (
        <span class={`live ${liveState.value}`} role="status" title={live[liveState.value]}>
          <span class="dot" aria-hidden="true" />
          {liveState.value === 'away' ? 'offline' : liveState.value}
        </span>
      )}
      <span class="tools">
        {isIn(now) && view && <SaveView title={view.title} />}
        <button
          type="button"
          class="quiet"
          onClick={switchTheme}
          aria-label={`Use the ${theme.value === 'dark' ? 'light' : 'dark'} theme`}
        >
          {theme.value === 'dark' ? 'Light' : 'Dark'}
        </button>
        <details class="who">
          <summary>
            <span class="clip" dir="auto" title={user.name}>
              {user.name || user.email}
            </span>
          </summary>
          <div class="pop">
            <p class="wrap">{user.email}</p>
            <p class="faint">role: {roleText(me.role)}</p>
            <button type="button" onClick={signOut}>
              Sign out
            </button>
          </div>
        </details>
      </span>
    </header>
  )
}
