/** One dashboard: its tiles in order, which are added, removed and moveItem by dragging or by buttons. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { ask } from '../../api.ts'
import { Copies } from '../../part/copy.tsx'
import { Head } from '../../part/head.tsx'
import { Empty, ProblemMessage } from '../../part/report-content.tsx'
import type { SavedViews } from '../../part/saved-views.tsx'
import { toast } from '../../part/toast.tsx'
import { go, hrefOf, param } from '../../router.ts'
import { problemOf, type Problem } from '../../problem.ts'
import { Mailing } from '../saved/mailing.tsx'
import { Adder } from './adder.tsx'
import { moveItem } from './arrange.ts'
import { DashboardForm } from './form.tsx'
import { Delete, type Dashboard } from './list.tsx'
import { Tile } from './tile.tsx'

interface BoardProps {
  dashboard: Dashboard
  saved: SavedViews
  onChanged: () => void
}

export function Board({ dashboard, saved, onChanged }: BoardProps) {
  const { id, name, views, mayChange, hiddenCount } = dashboard
  const [isEdited, isMailed] = [param('edit') !== undefined, param('email') !== undefined]
  const board = useOrder(dashboard, onChanged)
  const close = () => go('dashboards', { dashboard: id })
  const done = () => {
    onChanged()
    close()
  }
  const known = new Map([...views, ...saved].map((view) => [view.id, view]))
  const tiles = board.order.flatMap((one) => known.get(one) ?? [])
  return (
    <>
      <Head title="Dashboards" of={{ name, href: hrefOf('dashboards') }}>
        {!isMailed && (
          <button type="button" class="quiet" onClick={() => go('dashboards', { dashboard: id, email: 'yes' })}>
            Email
          </button>
        )}
        {mayChange && (
          <>
            {!isEdited && (
              <button type="button" class="quiet" onClick={() => go('dashboards', { dashboard: id, edit: 'yes' })}>
                Rename or share
              </button>
            )}
            <Delete
              dashboard={dashboard}
              onDone={() => {
                onChanged()
                go('dashboards')
              }}
            />
          </>
        )}
        <Copies report={{ operation: 'GET /dashboards/:dashboardID', given: { params: { dashboardID: id } } }} />
      </Head>
      {isEdited && mayChange && <DashboardForm dashboard={dashboard} saved={saved} onClose={close} onDone={done} />}
      {isMailed && (
        <>
          <Mailing of={{ kind: 'dashboard', id, name, isMailable: views.some((one) => one.isMailable) }} />
          <p class="bar">
            <button type="button" onClick={close}>
              Close
            </button>
          </p>
        </>
      )}
      {mayChange && (
        <Adder
          offered={saved.filter(
            (one) => !board.order.includes(one.id) && (dashboard.shared === 'me' || one.shared === 'organization'),
          )}
          isFull={board.order.length + hiddenCount >= tilesMax}
          onAdd={(one) => board.set([...board.order, one])}
        />
      )}
      {board.problem && <ProblemMessage problem={board.problem} />}
      {tiles.length === 0 && (
        <Empty title="No views on this dashboard yet.">
          <p>Save a view under a name, and add it here.</p>
        </Empty>
      )}
      <p class="unseen" role="status">
        {board.said}
      </p>
      <div class="board">
        {tiles.map((view, at) => (
          <Tile
            key={view.id}
            saved={view}
            arrange={
              mayChange
                ? {
                    place: at,
                    count: tiles.length,
                    move: (to) => board.move(at, to, view.name),
                    drop: (from) => board.move(from, at, tiles[from]!.name),
                    remove: () => board.remove(view.id, view.name),
                  }
                : undefined
            }
          />
        ))}
      </div>
      {hiddenCount > 0 && (
        <p class="faint">
          {hiddenCount} more {hiddenCount === 1 ? 'view is' : 'views are'} visible only to someone else.
        </p>
      )}
    </>
  )
}

/** As many as the API takes. */
const tilesMax = 12

/** The order that is shown: at once as it was set, and as the API has it once that is known. */
function useOrder({ id, views }: Dashboard, onChanged: () => void) {
  const stored = views.map((one) => one.id)
  const [order, setOrder] = useState(stored)
  const [said, say] = useState('')
  const [problem, setProblem] = useState<Problem | undefined>()
  const last = useRef(stored.join())
  useEffect(() => {
    if (last.current === stored.join()) return
    last.current = stored.join()
    setOrder(stored)
  }, [stored.join()])
  /** The tiles keep their figures: nothing but the order is requested again. */
  const set = (next: string[]) => {
    setOrder(next)
    setProblem(undefined)
    ask('PATCH /dashboards/:dashboardID', { params: { dashboardID: id }, body: { viewIDs: next } }).then(
      onChanged,
      (error: unknown) => {
        setOrder(order)
        setProblem(problemOf(error))
      },
    )
  }
  const move = (from: number, to: number, name: string) => {
    if (from === to) return
    set(moveItem(order, from, to))
    say(`${name} is now at place ${to + 1} of ${order.length}.`)
  }
  const remove = (one: string, name: string) => {
    set(order.filter((other) => other !== one))
    toast(`Removed ${name} from the dashboard.`, () => set(order))
  }
  return { order, set, move, remove, said, problem }
}
