/** Flow diagram: heights are costs, each node and each band is a way behind it. */
import { sankey, sankeyLinkHorizontal, type SankeyGraph, type SankeyLink, type SankeyNode } from 'd3-sankey'
import { useEffect, useRef, useState } from 'preact/hooks'
import { share, usd } from '../../figure.ts'
import { titleOf } from '../../filter-dimension.ts'
import { colorOf } from '../../part/series-color.ts'
import { drillHref } from './query.ts'
import { isRest, labelOf, pathOf, type Flow, type FlowNode, type FlowProps } from './level.ts'

/** Nodes of the first level, and of each next one. */
const firstMax = 12
const nextMax = 24

type ColoredNode = FlowNode & { color: string }
type Node = SankeyNode<ColoredNode, { usd: number }>
type Link = SankeyLink<ColoredNode, { usd: number }>

/** The dearest of each level whose way there is drawn too, those of one parent together. Nothing below zero has a height. */
function drawnOf(
  { nodes, links }: Flow,
  levels: readonly string[],
): { nodes: FlowNode[]; links: Flow['links']; left: number } {
  const parents = new Map(links.map(({ source, target }) => [target, source]))
  const shown = new Map<string, FlowNode>()
  const placeOf = ({ id }: FlowNode) => [...shown.keys()].indexOf(parents.get(id) ?? '')
  for (const [at, level] of levels.entries()) {
    const own = nodes.filter(
      ({ id, dim, valueUSD }) => dim === level && valueUSD > 0 && (at === 0 || shown.has(parents.get(id) ?? '')),
    )
    const dearest = own.toSorted((a, b) => b.valueUSD - a.valueUSD).slice(0, at === 0 ? firstMax : nextMax)
    const ordered = dearest.map((node) => ({ node, place: placeOf(node) })).toSorted((a, b) => a.place - b.place)
    for (const { node } of ordered) shown.set(node.id, node)
  }
  const above = nodes.filter(({ valueUSD }) => valueUSD > 0).length
  return {
    nodes: [...shown.values()],
    links: links.filter(({ target }) => shown.has(target)),
    left: above - shown.size,
  }
}

const rowHeight = 26

function graphOf(
  { nodes, links }: Pick<Flow, 'nodes' | 'links'>,
  levels: readonly string[],
  width: number,
): SankeyGraph<ColoredNode, { usd: number }> & { height: number } {
  const roots = nodes.filter(({ dim }) => dim === levels[0]).map(({ id }) => id)
  const colored = nodes.map((node) => ({
    ...node,
    fixedValue: node.valueUSD,
    color: colorOf(Math.max(0, roots.indexOf(node.id.split('|')[0]!))),
  }))
  const most = Math.max(...levels.map((level) => nodes.filter(({ dim }) => dim === level).length))
  const height = Math.max(180, most * rowHeight)
  const layout = sankey<ColoredNode, { usd: number }>()
    .nodeId(({ id }) => id)
    .nodeAlign(({ id }) => id.split('|').length - 1)
    .nodeSort(null)
    .nodeWidth(12)
    .nodePadding(12)
    .extent([
      [1, 6],
      [width - 1, height - 6],
    ])
  return {
    ...layout({
      nodes: colored,
      links: links.map(({ source, target, valueUSD }) => ({ source, target, value: valueUSD, usd: valueUSD })),
    }),
    height,
  }
}

/** Narrower than this it is scrolled sideways, within itself. */
const widthMin = 640

export function Sankey({ data, levels, now }: FlowProps) {
  const box = useRef<HTMLDivElement>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const place = box.current!
    const watch = new ResizeObserver(() => setWidth(Math.max(widthMin, place.clientWidth)))
    watch.observe(place)
    return () => watch.disconnect()
  }, [])
  const drawn = drawnOf(data, levels)
  if (drawn.nodes.length === 0)
    return (
      <p class="faint" ref={box}>
        Nothing above zero to draw. The table shows every figure.
      </p>
    )
  return (
    <>
      <div class="table flow" tabindex={0} role="region" aria-label="Flow diagram" ref={box}>
        {width > 0 && <Picture drawn={drawn} width={width} data={data} levels={levels} now={now} />}
      </div>
      <p class="faint">
        {levels.map(titleOf).join(' → ')}.{' '}
        {drawn.left > 0
          ? `Showing the largest; ${drawn.left} smaller ones are in the table.`
          : 'Click a node to drill down.'}
      </p>
    </>
  )
}

interface PictureProps extends FlowProps {
  drawn: ReturnType<typeof drawnOf>
  width: number
}

function Picture({ drawn, width, data, levels, now }: PictureProps) {
  const { nodes, links, height } = graphOf(drawn, levels, width)
  const said = (node: FlowNode) =>
    `${labelOf(node)}: ${usd(node.valueUSD)}${data.totalUSD > 0 ? `, ${share(node.valueUSD / data.totalUSD)}` : ''}`
  const to = (node: FlowNode) => (isRest(node) ? undefined : drillHref(now.chips, pathOf(node.id, levels)))
  return (
    <svg
      width={width}
      height={height}
      viewBox={`0 0 ${width} ${height}`}
      role="group"
      aria-label={`Flow from ${levels.map(titleOf).join(' to ')}`}
    >
      {links.map((link: Link) => (
        <Band
          key={(link.target as Node).id}
          link={link}
          text={`${labelOf(link.source as Node)} → ${labelOf(link.target as Node)}: ${usd(link.usd)}`}
          href={to(link.target as Node)}
        />
      ))}
      {nodes.map((node: Node) => (
        <Box key={node.id} node={node} width={width} text={said(node)} href={to(node)} />
      ))}
    </svg>
  )
}

const band = sankeyLinkHorizontal<ColoredNode, { usd: number }>()

/** Reached by the pointer alone: its node is the same by keyboard. */
function Band({ link, text, href }: { link: Link; text: string; href: string | undefined }) {
  const path = (
    <path
      class="link"
      d={band(link) ?? undefined}
      stroke={(link.target as Node).color}
      stroke-width={Math.max(1, link.width ?? 0)}
    >
      <title>{text}</title>
    </path>
  )
  return href === undefined ? (
    path
  ) : (
    <a href={href} tabindex={-1} aria-hidden="true">
      {path}
    </a>
  )
}

/** Letters of a name beside its node. */
const lettersMax = 30
const shorten = (text: string): string => (text.length > lettersMax ? `${text.slice(0, lettersMax - 1)}…` : text)

function Box({ node, width, text, href }: { node: Node; width: number; text: string; href: string | undefined }) {
  const { x0 = 0, x1 = 0, y0 = 0, y1 = 0 } = node
  const isLast = x1 > width / 2
  const shape = (
    <g class="node">
      <title>{text}</title>
      <rect x={x0} y={y0} width={x1 - x0} height={Math.max(1, y1 - y0)} fill={node.color} />
      <text x={isLast ? x0 - 6 : x1 + 6} y={(y0 + y1) / 2} dy="0.35em" text-anchor={isLast ? 'end' : 'start'}>
        {shorten(labelOf(node))} <tspan class="faint">{usd(node.valueUSD)}</tspan>
      </text>
    </g>
  )
  return href === undefined ? (
    shape
  ) : (
    <a href={href} aria-label={text}>
      {shape}
    </a>
  )
}
