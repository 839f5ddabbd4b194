import { h, type VNode } from 'preact'
import htm from 'htm'

type Markup = (strings: TemplateStringsArray, ...values: unknown[]) => VNode

/** Markup: values are text or properties, never markup themselves. */
export const html = (htm as unknown as { bind: (make: typeof h) => Markup }).bind(h)
