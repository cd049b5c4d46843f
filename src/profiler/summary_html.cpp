// The summary as a page: answers, a timeline that is drawn by a few lines of script, tables.
#include <algorithm>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>

#include "profiler/summary.h"

namespace tenon::profiler {
namespace {

using Json = nlohmann::ordered_json;

constexpr size_t kMaxEvents = 20'000;

std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '<') out += "&lt;";
    else if (c == '>') out += "&gt;";
    else if (c == '&') out += "&amp;";
    else if (c == '"') out += "&quot;";
    else out += c;
  }
  return out;
}

// Rows of the timeline: [name, [[begin, duration, depth, name, category], ...]], times in microseconds from the first.
std::string timeline(const ProfileData& data) {
  struct Shown {
    const ProfileEvent* event;
    size_t line;
    int depth;
  };
  std::vector<Shown> shown;
  const auto& lines = host_plane(data).lines();
  int64_t first = std::numeric_limits<int64_t>::max();
  for (size_t l = 0; l < lines.size(); ++l) {
    std::vector<int64_t> open;
    for (const ProfileEvent& event : lines[l].events()) {
      while (!open.empty() && open.back() <= event.start_ns()) open.pop_back();
      shown.push_back({&event, l, static_cast<int>(open.size())});
      open.push_back(end_of(event));
      first = std::min(first, event.start_ns());
    }
  }
  const size_t all = shown.size();
  if (all > kMaxEvents) {
    std::ranges::nth_element(shown, shown.begin() + kMaxEvents, std::greater(), [](const Shown& s) { return s.event->duration_ns(); });
    shown.resize(kMaxEvents);
    std::ranges::sort(shown, {}, [](const Shown& s) { return s.event->start_ns(); });
  }
  Json rows = Json::array();
  for (const ProfileLine& line : lines) rows.push_back({line.name(), Json::array()});
  for (const Shown& s : shown)
    rows[s.line][1].push_back({static_cast<double>(s.event->start_ns() - first) / 1e3, s.event->duration_ns() / 1e3, s.depth, s.event->name(), s.event->stats().text("category")});
  std::string json = Json{{"rows", rows}, {"left_out", all - shown.size()}}.dump(-1, ' ', false, Json::error_handler_t::replace);
  for (size_t at = 0; (at = json.find("</", at)) != json.npos; at += 3) json.insert(at + 1, "\\");
  return json;
}

constexpr const char* kHead = R"(<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Tenon: trace</title><style>
body{font:14px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1200px;padding:0 1em;color:#222}
h1{font-size:1.4em}h2{font-size:1.1em;margin-top:1.6em}dt{font-weight:600;margin-top:.5em}dd{margin:0}
table{border-collapse:collapse;display:block;overflow-x:auto}td,th{padding:.15em .7em;text-align:left;border-bottom:1px solid #ddd;white-space:nowrap}
#timeline{width:100%;border:1px solid #ccc;cursor:grab}#tip{color:#555;min-height:1.5em}
</style></head><body><h1>What this trace says</h1>
)";

constexpr const char* kScript = R"(<script>
const data=JSON.parse(document.getElementById('data').textContent),canvas=document.getElementById('timeline'),tip=document.getElementById('tip');
const colors={kernel:'#3b82f6',gemm:'#1d4ed8',chunk:'#93c5fd',copy:'#f59e0b',wait:'#d4d4d8',allocation:'#a3a3a3',stage:'#ef4444',pass:'#fca5a5',call:'#10b981',
 'eager call':'#6ee7b7',launch:'#a78bfa',program:'#8b5cf6',step:'#ec4899',annotation:'#f472b6',cache:'#eab308'};
const row=16,rows=[];let height=20;
for(const [name,events] of data.rows){let depth=0;for(const e of events)depth=Math.max(depth,e[2]+1);rows.push({name,events,y:height,depth});height+=depth*row+26}
let end=1;for(const r of rows)for(const e of r.events)end=Math.max(end,e[0]+e[1]);
let from=0,to=end;const ratio=window.devicePixelRatio||1;canvas.style.height=height+'px';
const label=us=>us<1e3?us.toFixed(1)+' us':us<1e6?(us/1e3).toFixed(2)+' ms':(us/1e6).toFixed(3)+' s';
function draw(){const width=canvas.clientWidth;canvas.width=width*ratio;canvas.height=height*ratio;const g=canvas.getContext('2d');g.scale(ratio,ratio);
 g.font='11px system-ui,sans-serif';g.textBaseline='middle';g.fillStyle='#888';
 for(let i=0;i<=8;++i){const x=width*i/8;g.fillText(label(from+(to-from)*i/8),Math.min(x+3,width-60),9);g.fillRect(x,0,1,height)}
 for(const r of rows){g.fillStyle='#222';g.fillText(r.name,3,r.y+9);
  for(const e of r.events){const x=(e[0]-from)/(to-from)*width,w=Math.max(e[1]/(to-from)*width,.5);if(x>width||x+w<0)continue;
   const y=r.y+18+e[2]*row;g.fillStyle=colors[e[4]]||'#64748b';g.fillRect(x,y,w,row-1);
   if(w>30){g.save();g.beginPath();g.rect(x,y,w,row);g.clip();g.fillStyle=['wait','allocation','chunk','pass','eager call'].includes(e[4])?'#222':'#fff';g.fillText(e[3],Math.max(x,0)+3,y+row/2);g.restore()}}}}
function at(event){const box=canvas.getBoundingClientRect(),t=from+(event.clientX-box.left)/box.width*(to-from),y=event.clientY-box.top;
 for(const r of rows){const d=Math.floor((y-r.y-18)/row);if(d<0||d>=r.depth)continue;const slack=(to-from)/box.width;
  for(const e of r.events)if(e[2]==d&&e[0]-slack<=t&&t<=e[0]+e[1]+slack)return e}}
canvas.addEventListener('wheel',event=>{event.preventDefault();const box=canvas.getBoundingClientRect(),t=from+(event.clientX-box.left)/box.width*(to-from),k=event.deltaY>0?1.25:.8;
 from=Math.max(0,t-(t-from)*k);to=Math.min(end,t+(to-t)*k);draw()},{passive:false});
let drag=null;canvas.addEventListener('mousedown',event=>drag=[event.clientX,from,to]);addEventListener('mouseup',()=>drag=null);
canvas.addEventListener('mousemove',event=>{if(drag){const d=(drag[0]-event.clientX)/canvas.clientWidth*(drag[2]-drag[1]);const s=Math.min(Math.max(d,-drag[1]),end-drag[2]);from=drag[1]+s;to=drag[2]+s;draw();return}
 const e=at(event);tip.textContent=e?e[3]+' ('+e[4]+'): '+label(e[1])+' at '+label(e[0]):''});
canvas.addEventListener('dblclick',()=>{from=0;to=end;draw()});addEventListener('resize',draw);draw();
</script></body></html>
)";

}  // namespace

std::string summary_html(const ProfileData& data) {
  const Summary summed = summary(data);
  std::string page = kHead;
  page += "<dl>";
  for (const Answer& answer : answers(summed)) page += "<dt>" + escaped(answer.question) + "</dt><dd>" + escaped(answer.text) + "</dd>\n";
  page += "</dl>";
  if (summed.dropped_events > 0)
    page += "<p>The trace is not whole: " + std::to_string(summed.dropped_events) + " events were dropped, the oldest first.</p>";
  page += "<h2>Timeline</h2><p>The wheel zooms, dragging moves, a double click shows all.</p><canvas id=\"timeline\"></canvas><div id=\"tip\"></div>\n";
  for (const Table& table : tables(summed)) {
    if (table.rows.empty()) continue;
    page += "<h2>" + escaped(table.title) + "</h2><table><tr>";
    for (const std::string& column : table.columns) page += "<th>" + escaped(column) + "</th>";
    page += "</tr>\n";
    for (const auto& row : table.rows) {
      page += "<tr>";
      for (const std::string& cell : row) page += "<td>" + escaped(cell) + "</td>";
      page += "</tr>\n";
    }
    page += "</table>";
    if (table.left_out > 0) page += "<p>... and " + std::to_string(table.left_out) + " more</p>";
  }
  return page + "<script type=\"application/json\" id=\"data\">" + timeline(data) + "</script>\n" + kScript;
}

}  // namespace tenon::profiler
