"""Names of more than one kind, and names that are also words.

An entry is a name and what it may name: `she` and `he` (first names), `last` (a surname), `city`,
`country`, `region`, `company`, `club`. Only the sentence says which it is.
"""

AMBIGUOUS = """
Adelaide she city | Alexandria she city | Alma she city company | Amber she company
Aurora she city company | Austin he last city company | Barclay he last company | Bentley he last company
Benson last city company | Berkeley last city company | Bolivar last city region | Boston last city
Bradford he last city club | Brooklyn she city | Burton he last city company | Cadbury last company city
Calder last city company | Camden he city company | Carolina she region | Cartier last company
Catalina she city | Chad he country | Charlotte she city | Chelsea she city club
Chester he last city club | Cheyenne she city | Cleveland he last city | Clinton he last city
Clyde he city club | Colombo last city | Columbus last city | Dallas he last city | Darwin he last city
Dayton he last city | Denver he city | Derby last city club | Devon he region | Dior last company
Disney last company | Douala last city club | Durham last city club | Easton he last city
Eden she last city | Edison he last city company | Elizabeth she city | Eugene he city
Everton he city club | Fabian he last company | Ferrari last company | Florence she city
Ford last company | Francisco he last city | Galway he city company | Geneva she city
Georgia she country region | Gillette last city company | Greenwich last city company | Gucci last company
Guinness last company | Hamilton he last city club | Harley he last company
Harrison he last city company | Hayden he last city | Heinz he last company | Helena she city
Henley last city company | Hershey last city company | Hilton last company | Honda last company
Houston he last city | Hudson he last city company | India she country | Ireland she last country
Israel he country | Jackson he last city | Jersey she region | Jordan he she last country company
Juventus he club | Kelvin he last company | Kent he last region | Kenya she country
Kingston last city company | Lancaster last city | Leicester last city club | Leland he last city
Lexington last city company | Lima last city | Lincoln he last city club | Logan he last city
Lorraine she region | Lourdes she city | Madison she last city company | Malta last country
Marseille last city club | Maxwell he last company | Mercedes she city company | Milan he city club
Milton he last city | Montana she region | Montgomery last city | Morgan he she last company
Nancy she city club | Nelson he last city company | Newton he last city | Olympia she city company
Orlando he last city | Palmer he last city company | Paris she last city | Parma last city club
Peyton she last company | Philips last company | Porsche last company | Preston he last city club
Raleigh he last city company | Regina she city | Renault last company | Rhodes last city
Ryan he last company | Salvador he last city | Santiago he last city | Santos last city club
Savannah she city | Sheffield last city club | Siena she city | Sofia she city | Stafford last city
Stanford he last city company | Sterling he last city company | Stirling last city club
Stuttgart last city club | Sydney she city | Tesla last company | Toledo last city
Toyota last city company | Tyler he last city | Valencia she last city club | Vermont last region
Verona she city club | Victoria she city region | Vienna she city | Virginia she region
Wallace he last company | Walker he last company | Warren he last city | Warwick he city company
Washington he last city region | Wellington last city company | Wilson he last company
Winchester last city company | York last city
"""

COMMON = """
Rose she last | Mark he | Bill he | Will he | Grace she last | Summer she | Hunter he last
Baker last city | Hope she last city | Joy she | Faith she | Dawn she | Iris she company | Lily she
Ivy she | Olive she | Pearl she | Ruby she | Violet she | Heather she | Holly she | May she last
June she | April she | Sue she | Robin he she | Frank he last | Jack he | Rob he | Chase he last company
Grant he last | Miles he last | Dean he last | Drew he | Mason he last city | Carter he last | August he
Pierce he last | Guy he | Cook last company | Fisher last company | Porter last company | Bishop last city
King last | Young last | Long last | Brown last | Green last | White last | Black last | Wood last
Stone last city | Hill last | Brooks last company | Rivers last | Banks last | Fields last
Marsh last company | Lane last company | Day last | Winter last | Snow last | Frost last | Park last
Bush last | Fox last company | Wolf last | Bird last company | Crane last company | Bell last company
Page last company | Price last | Rice last | Sharp last company | Short last | Swift last company
Ward last | Waters last company | Wells last city | West last | Reading city club | Bath city
Cork city club | Nice city club | Split city club | Hull city last club | Bury city club | Deal city
Orange city company | Mobile city | Lens city club | Tours city | Apple company | Shell company
Target company | Gap company | Oracle company | Sprint company | Puma company | Jaguar company
Dove company | Tide company | Mercury company | Eagle last company | Square company | Visa company
Subway company | Turkey country | China country
"""
