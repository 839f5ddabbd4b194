"""
An independent reader of bills, written from docs/bill-formats.md and from what the providers say of their columns.

judge.py pack    from stdin, a JSON object a line {"from": CSV or JSON lines, "to": Parquet file, "style": number}: writes Parquet
judge.py judge   from stdin, a path a line: prints what each file comes to, a JSON object a line:
                 {"error": why} or {"rows": [{"row": number, "day": "YYYY-MM-DD", "billed": "1.5", "effective": "1.5", "odd": [columns]} or
                 {"row": number, "bad": why}], "pooled": whether effective costs are told of days alone}
"""
import ast, codecs, datetime as dt, gzip, io, json, re, sys, zipfile, zlib
from decimal import Decimal, ROUND_HALF_UP, getcontext

import numpy
import pyarrow as pa
import pyarrow.csv as pc
import pyarrow.parquet as pq

getcontext().prec = 1200
SPACE = ' \t\r\n\v\f\u00a0\ufeff'
RATES = {'NOK': Decimal('0.1')}


class Bad(Exception):
    pass


def number(value, what):
    """Of a cell that is not empty."""
    text = str(value).strip(SPACE)
    if isinstance(value, bool) or not re.fullmatch(r'[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?', text):
        raise Bad(what)
    found = Decimal(text)
    if abs(found) >= 10**18:
        raise Bad(what)
    return found


def cents(value):
    return value.quantize(Decimal(1).scaleb(-14), ROUND_HALF_UP)


def text(value):
    value = format(value.normalize(), 'f')
    return '0' if value in ('-0', '0') else value


# Text, and what is cut out of it.

def decoded(data):
    for mark, name in ((codecs.BOM_UTF16_LE, 'utf-16'), (codecs.BOM_UTF16_BE, 'utf-16')):
        if data.startswith(mark):
            return data.decode(name)
    if re.match(rb'(?:[^\0]\0){4}', data):
        return data.decode('utf-16-le')
    if re.match(rb'(?:\0[^\0]){4}', data):
        return data.decode('utf-16-be')
    return data.decode('utf-8-sig', 'surrogateescape')


def records(given, delimiter):
    """Cells of each record, the line that it begins on, and whether quotes do not close where a cell ends."""
    cells, cell, at, line, begun = [], [], 0, 1, 1
    quoted = was_quoted = torn = False
    size = len(given)
    while at <= size:
        sign = given[at] if at < size else None
        if quoted:
            if sign is None:
                raise Bad('a quote does not end')
            if sign == '"':
                if at + 1 < size and given[at + 1] == '"':
                    cell.append('"')
                    at += 2
                    continue
                quoted = False
                if at + 1 < size and given[at + 1] not in (delimiter, '\r', '\n'):
                    torn = True
                at += 1
                continue
            if sign == '\n' or (sign == '\r' and given[at + 1:at + 2] != '\n'):
                line += 1
            cell.append(sign)
        elif sign == '"' and not cell and not was_quoted:
            quoted = was_quoted = True
        elif sign == delimiter:
            cells.append(''.join(cell))
            cell, was_quoted = [], False
        elif sign is None or sign in '\r\n':
            if cells or cell or was_quoted:
                cells.append(''.join(cell))
                yield cells, begun, torn and line > begun
            if sign is None:
                return
            if sign == '\r' and given[at + 1:at + 2] == '\n':
                at += 1
            line += 1
            cells, cell, was_quoted, torn, begun = [], [], False, False, line
        else:
            cell.append(sign)
        at += 1


def folded(name):
    return re.sub(r'[^a-z0-9]', '', name.lower())


def csv_rows(given):
    first = given.lstrip('\r\n').split('\n', 1)[0]
    bare = re.sub(r'"[^"]*"', '', first)
    delimiter = max(',;\t', key=lambda sign: bare.count(sign))
    header, rows, twice = None, [], set()
    for cells, line, torn in records(given, delimiter):
        if header is None:
            header = [folded(name) for name in cells]
            continue
        filled = cells[:len(header)] + [cell for cell in cells[len(header):] if cell.strip(SPACE)]
        if torn:
            rows.append((line, 'a quote that does not end'))
        elif len(filled) != len(header):
            rows.append((line, f'{len(cells)} cells of {len(header)}'))
        else:
            row = {}
            for name, value in zip(header, filled):
                if name in row and row[name] != value:
                    twice.add(name)
                row.setdefault(name, value)
            rows.append((line, row))
    if header is None:
        raise Bad('empty')
    return set(header), rows, twice


def flat(value, before='', deep=4):
    out = {}
    for name, inner in value.items():
        if isinstance(inner, dict) and deep > 1:
            out.update(flat(inner, before + name + '.', deep - 1))
        else:
            out.setdefault(folded(before + name), inner)
    return out


def no_constant(name):
    raise ValueError(name)


def parsed(given):
    return json.loads(given, parse_float=Decimal, parse_constant=no_constant)


def elements(given):
    """Of an array that is damaged; each element begins on a line of its own."""
    out = []
    if not given.rstrip(SPACE).endswith(']'):
        raise Bad('an array without an end')
    decoder = json.JSONDecoder(parse_float=Decimal, parse_constant=no_constant)
    for place, begin in enumerate(re.finditer(r'(?:^\[|,\n)(?=\{)', given.lstrip(SPACE)), 1):
        try:
            out.append((place, decoder.raw_decode(given.lstrip(SPACE), begin.end())[0]))
        except ValueError:
            out.append((place, None))
    return out


LOOSE = 'elements whose numbers are not known'


def json_rows(given):
    rows = []
    if given.lstrip(SPACE)[0] == '[':
        try:
            found = list(enumerate(parsed(given), 1))
        except ValueError:
            found = elements(given)
            rows.append((0, LOOSE))
    else:
        found = []
        for place, line in enumerate(given.split('\n'), 1):
            if line.strip(SPACE):
                try:
                    found.append((place, parsed(line)))
                except ValueError:
                    found.append((place, None))
    for place, one in found:
        rows.append((place, flat(one) if isinstance(one, dict) else 'no object'))
    names = {name for _, row in rows if isinstance(row, dict) for name in row}
    return names, rows, set()


def shown(value, kind):
    if isinstance(value, float):
        if pa.types.is_float32(kind):
            return str(Decimal(str(numpy.float32(value)))) if value == value and abs(value) != float('inf') else str(value)
        return repr(value)
    if isinstance(value, (dt.datetime, dt.date)):
        return value.isoformat()
    return value


def parquet_rows(data):
    table = pq.ParquetFile(io.BytesIO(data), page_checksum_verification=True).read()
    table = table.rename_columns([name if table.schema.names.index(name) == i else f'{name} #{i}' for i, name in enumerate(table.schema.names)])
    for index, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type):
            column = table.column(index)
            day = [None if value is None else dt.datetime.fromtimestamp(value // 10**6, dt.timezone.utc).isoformat()
                   for value in column.cast(pa.timestamp('us', field.type.tz), safe=False).cast(pa.int64()).to_pylist()]
            table = table.set_column(index, field.name, pa.array(day, pa.string()))
    rows = []
    for place, row in enumerate(table.to_pylist(), 1):
        rows.append((place, flat({name: shown(value, table.schema.field(name).type) for name, value in row.items()})))
    return {folded(name) for name in table.schema.names} | {name for _, row in rows for name in row}, rows, set()


# Dates.

NUMBERED = re.compile(r'\s*([0-9]{1,2})([/.-])([0-9]{1,2})\2([0-9]{4})(?![0-9])(.*)', re.S)
CLOCK = re.compile(r'[T ,]*([0-9]{1,2}):([0-9]{2})(?::([0-9]{2}))?(?:\.[0-9]+)?\s*(?:([ap])\.?m\.?)?\s*(Z|UTC|[+-][0-9]{2}:?[0-9]{2})?', re.I)
ISO = re.compile(r'([0-9]{4}-[0-9]{2}-[0-9]{2})(?:[T ]([0-9]{2}:[0-9]{2}(?::[0-9]{2}(?:\.[0-9]{1,9})?)?)\s*(Z|UTC|[+-][0-9]{2}(?::?[0-9]{2})?)?)?')


def order_of(rows, charge, start, end):
    """The order of numbered dates, as the page says; None where there are none that need one."""
    first = next((row for _, row in rows if isinstance(row, dict)), {})
    if not any(NUMBERED.fullmatch(str(first.get(name) or '')) for name in charge + start + end):
        return 'alone'
    certain, unsure, fits, months = set(), False, {'d': 0, 'm': 0}, {'d': set(), 'm': set()}
    read = lambda found, order: (int(found[4]), int(found[3] if order == 'd' else found[1]), int(found[1] if order == 'd' else found[3]))
    for _, row in rows:
        if not isinstance(row, dict):
            continue
        cells = [NUMBERED.fullmatch(str(next((row[n] for n in names if row.get(n)), ''))) for names in (charge, start, end)]
        for found in cells:
            if found:
                a, b = int(found[1]), int(found[3])
                if b <= 12 and (a > 12 or found[2] == '.'):
                    certain.add('d')
                elif a <= 12 and b > 12:
                    certain.add('m')
                elif a <= 12 and a != b:
                    unsure = True
        if cells[0]:
            for order in 'dm':
                months[order].add(read(cells[0], order)[:2])
        if all(cells):
            for order in 'dm':
                day, first, last = (read(found, order) for found in cells)
                if first <= day <= last and (last[0] - first[0]) * 12 + last[1] - first[1] <= 1:
                    fits[order] += 1
    if len(certain) == 2:
        raise Bad('dates of both orders')
    if certain:
        return certain.pop()
    if not unsure:
        return 'm'
    if fits['d'] != fits['m']:
        return max(fits, key=fits.get)
    if len(months['d']) != len(months['m']):
        return min(months, key=lambda order: len(months[order]))
    raise Bad('dates of either order')


def day_of(value, order):
    if value in (None, ''):
        raise Bad('no date')
    given = str(value)
    found = NUMBERED.fullmatch(given)
    if found:
        if order == 'alone':
            a, b = int(found[1]), int(found[3])
            order = 'd' if b <= 12 and (a > 12 or found[2] == '.') else 'm' if b > 12 or a == b else None
            if order is None:
                raise Bad('a date of either order')
        day, month = (found[1], found[3]) if order == 'd' else (found[3], found[1])
        given = f'{found[4]}-{int(month):02}-{int(day):02}'
        rest = found[5].strip(SPACE)
        clock = CLOCK.fullmatch(rest)
        if rest and not clock:
            raise Bad('a date with something behind it')
        if clock:
            hour = int(clock[1]) % 12 + (12 if clock[4].lower() == 'p' else 0) if clock[4] else int(clock[1])
            given += f' {hour:02}:{clock[2]}:{clock[3] or "00"}{(clock[5] or "").upper()}'
    found = ISO.fullmatch(given.strip(SPACE))
    if not found:
        raise Bad('no date')
    day, clock, zone = found.groups()
    try:
        at = dt.datetime.fromisoformat(day)
        hours, minutes, seconds = ([float(part) for part in clock.split(':')] + [0, 0])[:3] if clock else (0, 0, 0)
        if minutes >= 60 or seconds >= 60 or hours > 24 or (hours == 24 and minutes + seconds > 0):
            raise Bad('no time')
        at += dt.timedelta(hours=hours, minutes=minutes, seconds=seconds)
        if zone and zone not in ('Z', 'UTC'):
            digits = zone[1:].replace(':', '').ljust(4, '0')
            if int(digits[:2]) > 23 or int(digits[2:]) > 59:
                raise Bad('no zone')
            shift = dt.timedelta(hours=int(digits[:2]), minutes=int(digits[2:]))
            at += -shift if zone[0] == '+' else shift
    except (ValueError, OverflowError):
        raise Bad('no date')
    if not 1970 <= at.year <= 2104:
        raise Bad('no year of ours')
    return at.date().isoformat()


# What rows cost, by format.

class Row:
    def __init__(self, cells, nulls=()):
        self.cells = {name: value for name, value in cells.items() if value not in (None, '') and value not in nulls}
        self.odd = []

    def first(self, *names):
        return next((self.cells[name] for name in names if name in self.cells), None)

    def need(self, *names):
        value = next((self.cells[name] for name in names if str(self.cells.get(name, '')).strip(SPACE)), None)
        if value is None:
            raise Bad(f'no {names[0]}')
        return number(value, names[0])

    def amount(self, *names):
        """Of a column that a row may be without: one that cannot be read is odd."""
        value = next((self.cells[name] for name in names if str(self.cells.get(name, '')).strip(SPACE)), None)
        if value is None:
            return None
        try:
            return number(value, names[0])
        except Bad:
            self.odd.append(names[0])
            return None


def dollars(row, currency, costs, own, units, whole):
    """(billed, effective) in dollars: by the row's own figures, its units for a dollar, a rate that was given."""
    currency = str(currency or '').strip(SPACE).upper()
    billed, effective = costs
    if currency == '':
        row.odd.append('currency')
        if len(whole['currencies']) > 1:
            raise Bad('no currency')
        currency = next(iter(whole['currencies']), 'USD')
    else:
        whole['currencies'].add(currency)
    if currency == 'USD':
        return cents(billed), cents(effective)
    if units is not None and units <= 0:
        row.odd.append('units')
        units = None
    rate = Decimal(1) / units if units else None
    if rate is None and own[0] is not None and billed:
        rate = own[0] / billed
    if rate is None and own[1] is not None and effective:
        rate = own[1] / effective
    rate = rate if rate is not None else RATES.get(currency)
    if rate is None and any(mine is None and cost for mine, cost in zip(own, costs)):
        raise Bad(f'no rate of {currency}')
    found = [mine if mine is not None else cost * (rate or 0) for mine, cost in zip(own, costs)]
    return tuple(cents(cost) for cost in found)


def focus(row, whole):
    billed = row.need('billedcost')
    effective = row.amount('effectivecost')
    own = [row.amount('xbilledcostinusd'), row.amount('xeffectivecostinusd')]
    prices = str(row.first('pricingcurrency', 'xpricingcurrency') or 'USD').strip(SPACE).upper()
    currency = str(row.first('billingcurrency') or '').strip(SPACE).upper()
    priced = str(row.first('pricingcurrency') or '').strip(SPACE).upper() == 'USD'
    if own[1] is None and priced and re.fullmatch('[A-Z]{3}', currency) and currency != 'USD':
        own[1] = row.amount('pricingcurrencyeffectivecost')
    units = row.amount('xbillingexchangerate', 'xcurrencyconversionrate') if prices == 'USD' else None
    return dollars(row, row.first('billingcurrency'), (billed, billed if effective is None else effective), own, units, whole)


def aws_effective(row, whole, kind, billed):
    if kind == 'SavingsPlanNegation':
        return Decimal(0)
    net = row.amount('lineitemnetunblendedcost')
    is_discount = kind.endswith('Discount')
    plain = net if net is not None else Decimal(0) if whole['net'] and is_discount else billed
    has_arn = row.first('savingsplansavingsplanarn', 'reservationreservationarn') is not None
    if kind == 'SavingsPlanUpfrontFee' or (kind in ('Fee', 'Refund') and has_arn):
        return Decimal(0)
    if kind == 'SavingsPlanCoveredUsage':
        found = row.amount('savingsplannetsavingsplaneffectivecost', 'savingsplansavingsplaneffectivecost')
    elif kind == 'DiscountedUsage':
        found = row.amount('reservationneteffectivecost', 'reservationeffectivecost')
    elif kind == 'SavingsPlanRecurringFee':
        total, used = row.amount('savingsplantotalcommitmenttodate'), row.amount('savingsplanusedcommitment')
        found = None if total is None and used is None else (total or 0) - (used or 0)
        if found is not None and net and billed:
            found = found * net / billed
    elif kind == 'RIFee':
        found = None
        for word in ('net', ''):
            parts = [row.amount(f'reservation{word}unused{what}') for what in ('amortizedupfrontfeeforbillingperiod', 'recurringfee')]
            if found is None and any(part is not None for part in parts):
                found = sum(part or 0 for part in parts)
    else:
        found = None
    return plain if found is None else found


def aws(row, whole):
    is_split = row.first('splitlineitemparentresourceid') is not None and row.amount('splitlineitemsplitcost') is not None
    billed = row.need('lineitemunblendedcost') if row.first('lineitemunblendedcost') is not None or not is_split else Decimal(0)
    kind = str(row.first('lineitemlineitemtype') or 'Usage')
    effective = aws_effective(row, whole, kind, billed)
    return dollars(row, row.first('lineitemcurrencycode'), (billed, effective), [None, None], None, whole)


def azure(row, whole):
    billed = row.need('costinbillingcurrency', 'cost', 'pretaxcost', 'extendedcost')
    prices = row.first('pricingcurrency', 'pricingcurrencycode')
    own = row.amount('costinusd', 'costusd')
    if own is None and prices and str(prices).strip(SPACE).upper() == 'USD':
        own = row.amount('costinpricingcurrency')
    units = None
    if prices is None or str(prices).strip(SPACE).upper() == 'USD':
        units = row.amount('exchangeratepricingtobilling', 'exchangerate')
    currency = row.first('billingcurrency', 'billingcurrencycode', 'currency', 'currencycode')
    found = dollars(row, currency, (billed, billed), [own, own], units, whole)
    return found


def credits_of(value):
    if isinstance(value, str):
        try:
            value = parsed(value)
        except ValueError:
            try:
                value = ast.literal_eval(value.replace('nan', 'None'))
            except (ValueError, SyntaxError, MemoryError, RecursionError):
                raise Bad('credits')
    if not isinstance(value, (list, tuple)):
        raise Bad('credits')
    total = Decimal(0)
    for one in value:
        amount = (one or {}).get('amount') if isinstance(one, (dict, type(None))) else None
        if amount is not None:
            total += number(repr(amount) if isinstance(amount, float) else amount, 'credits')
    return total


def google(row, whole):
    cost = row.need('cost')
    value = row.first('credits')
    billed = cost + (credits_of(value) if value is not None else 0)
    return dollars(row, row.first('currency'), (billed, billed), [None, None], row.amount('currencyconversionrate'), whole)


COUNTING = set('''billedcost effectivecost chargeperiodstart billingcurrency pricingcurrency xbilledcostinusd xeffectivecostinusd
xbillingexchangerate lineitemunblendedcost lineitemnetunblendedcost lineitemlineitemtype lineitemusagestartdate lineitemcurrencycode
savingsplansavingsplaneffectivecost savingsplantotalcommitmenttodate savingsplanusedcommitment savingsplansavingsplanarn
reservationreservationarn reservationeffectivecost reservationunusedamortizedupfrontfeeforbillingperiod reservationunusedrecurringfee
cost credits currency currencyconversionrate usagestarttime costinbillingcurrency pretaxcost date usagedatetime'''.split())

FORMATS = [
    ('billedcost', ('chargeperiodstart', 'chargecategory', 'effectivecost', 'billingcurrency'), focus,
     (['chargeperiodstart'], ['billingperiodstart'], ['billingperiodend']), ('NULL', 'null')),
    ('lineitemunblendedcost', ('lineitemusagestartdate', 'lineitemlineitemtype'), aws,
     (['lineitemusagestartdate'], ['billbillingperiodstartdate'], ['billbillingperiodenddate']), ()),
    ('cost', ('usagestarttime',), google, (['usagestarttime'], [], []), ()),
    (('costinbillingcurrency', 'pretaxcost', 'cost', 'extendedcost'), ('date', 'usagedatetime', 'usagedate'), azure,
     (['date', 'usagedatetime', 'usagedate'], ['billingperiodstartdate'], ['billingperiodenddate']), ()),
]


def judged(names, rows, twice):
    for cost, others, read, dates, nulls in FORMATS:
        costs = (cost,) if isinstance(cost, str) else cost
        if any(name in names for name in costs) and any(name in names for name in others):
            break
    else:
        raise Bad('no bill')
    order = order_of(rows, *dates)
    is_net = lambda row: not str(row.get('lineitemlineitemtype') or '').endswith('Discount')
    loose = rows[:1] == [(0, LOOSE)]
    rows = rows[1:] if loose else rows
    whole = {'currencies': set(), 'net': any(isinstance(row, dict) and row.get('lineitemnetunblendedcost') not in (None, '') and is_net(row) for _, row in rows)}
    out = []
    for place, cells in rows:
        try:
            if isinstance(cells, str):
                raise Bad(cells)
            row = Row(cells, nulls)
            billed, effective = read(row, whole)
            day = day_of(row.first(*dates[0]), order)
            out.append({'row': place, 'day': day, 'billed': text(billed), 'effective': text(effective), 'odd': row.odd})
        except Bad as why:
            out.append({'row': place, 'bad': str(why)})
    return {'rows': out, 'loose': loose, 'pooled': read is google, 'twice': sorted(name for name in twice if name in COUNTING)}


def opened(data):
    """Of each file in the bytes, its name and its bytes."""
    if data[:2] == b'PK':
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for one in sorted(archive.namelist()):
                yield archive.read(one)
    else:
        yield data


def judge(path):
    with open(path, 'rb') as file:
        data = file.read()
    found = {'rows': [], 'pooled': False, 'twice': []}
    try:
        for part, inner in enumerate(opened(data)):
            if inner[:2] == b'\x1f\x8b':
                inner = gzip.decompress(inner)
            if inner[:4] == b'PAR1':
                one = judged(*parquet_rows(inner))
            else:
                given = decoded(inner)
                one = judged(*(json_rows(given) if given.lstrip(SPACE)[:1] in ('{', '[') else csv_rows(given)))
            for row in one['rows']:
                row['row'] += part * 1_000_000
            found['rows'] += one['rows']
            found['pooled'] |= one['pooled']
            found['twice'] += one['twice']
            found['loose'] = found.get('loose') or one['loose']
        return found
    except (Bad, OSError, EOFError, ValueError, zlib.error, zipfile.BadZipFile, NotImplementedError, RuntimeError, IndexError, KeyError,
            OverflowError, MemoryError, pa.ArrowException, RecursionError) as error:
        return {'error': f'{type(error).__name__}: {error}'[:200]}


# Parquet, as clouds write it.

CODECS = ['snappy', 'gzip', 'zstd', 'none', 'lz4', 'brotli']


def typed(name, column, style):
    """A column of text as a cloud would type it: amounts as doubles or decimals, times as timestamps. What does not fit is null."""
    key = folded(name)
    if style % 3 == 0 or not re.search(r'cost$|costin|amount$|rate$|date$|start$|end$|time$', key):
        return pa.array([value or None for value in column], pa.string())
    out = []
    for value in column:
        try:
            if re.search(r'date$|start$|end$|time$', key):
                out.append(dt.datetime.fromisoformat(value.replace('Z', '+00:00').replace(' UTC', '+00:00')).replace(tzinfo=dt.timezone.utc))
            else:
                out.append(float(value) if style % 3 == 1 else cents(number(value, key)))
        except (ValueError, OverflowError, Bad):
            out.append(None)
    try:
        if re.search(r'date$|start$|end$|time$', key):
            return pa.array(out, pa.timestamp(['ms', 'us', 'ns'][style % 5 % 3], tz='UTC'))
        return pa.array(out, pa.float64() if style % 3 == 1 else pa.decimal128(38, 14))
    except (pa.ArrowException, OverflowError):
        return pa.array([value or None for value in column], pa.string())


def pack(job):
    style = job['style']
    if job['from'].endswith('.jsonl'):
        with open(job['from']) as file:
            table = pa.Table.from_pylist([json.loads(line) for line in file if line.strip()])
    else:
        with open(job['from'], encoding='utf-8-sig', newline='') as file:
            found = [cells for cells, _, _ in records(file.read(), ',')]
        header, rows = found[0], [row for row in found[1:] if len(row) == len(found[0])]
        table = pa.table([typed(name, [row[i] for row in rows], style) for i, name in enumerate(header)], names=header)
    pq.write_table(table, job['to'], compression=CODECS[style % 6], data_page_version=['1.0', '2.0'][style // 6 % 2],
                   use_dictionary=style // 12 % 2 == 0, write_page_checksum=style % 7 == 0, store_schema=False, row_group_size=[7, 1000][style // 2 % 2],
                   data_page_size=[64, 1 << 20][style % 2], use_deprecated_int96_timestamps=style % 11 == 0)


for line in sys.stdin:
    if sys.argv[1] == 'pack':
        pack(json.loads(line))
    else:
        print(json.dumps(judge(line.rstrip('\n'))), flush=True)
