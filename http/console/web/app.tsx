/** The frame around every view: menu, head, and what stands against the figures being those of now. */
import { useEffect, useState } from 'preact/hooks'
import { waitReason } from './api.ts'
import { Head } from './frame/head.tsx'
import { heading, useHeading } from './frame/heading.ts'
import { Menu } from './frame/menu.tsx'
import { watchRecent } from './frame/recent.ts'
import { isFirstViewLoaded, ViewLoader } from './frame/view-loader.tsx'
import { liveState } from './live.ts'
import { currentRoute } from './router.ts'
import { isOver, session, viewerKey, type Session } from './session.ts'
import { ClosedOrganization } from './part/closed-organization.tsx'
import { Keys, watchKeys } from './part/keys.tsx'
import { NoOrganization } from './part/no-organization.tsx'
import { titles } from './part/saved-views.tsx'
import { ReceiptDrawer } from './part/receipt.tsx'
import { SecondFactorNeeded } from './part/second-factor.tsx'
import { SignIn, SignInAgain } from './part/sign-in.tsx'
import { Loading } from './part/report-content.tsx'
import { views } from './view/index.ts'

for (const { name, title } of views) titles.set(name, title)

export function App() {
  const now = session.value
  if (now === undefined || (now !== null && !isFirstViewLoaded.value))
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
  useEffect(watchRecent, [])
  useHeading()
  const { view: name } = currentRoute.value
  const view = views.find((one) => one.name === name)
  const now = session.value!
  const { view: title, detail } = heading.value
  useEffect(() => {
    document.title = `${view?.title ?? 'Not found'} · Tidemark`
  }, [view])
  return (
    <div class="frame">
      <a class="skip" href="#view" onClick={toView}>
        Skip to content
      </a>
      <Menu isIn={isIn(now)} orgID={now.orgID} />
      <div class="page">
        <Head view={view} isIn={isIn(now)} />
        <p class="unseen" aria-live="polite">
          {title && `${title}${detail && `: ${detail}`}`}
        </p>
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

const isIn = ({ orgID, me }: Session): boolean => orgID !== null && !me.needsSecondFactor && !me.isClosed
